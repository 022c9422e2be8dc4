// JSON values as plain trees, with equality and patches in the simplest form: what src/json does on
// tapes and indexes must have the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.hpp"
#include "json/pointer.hpp"

namespace dynamo::fuzz {

struct ModelValue {
  json::Type type = json::Type::kNull;
  std::string text;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<std::pair<std::string, ModelValue>> members;  // with duplicates
  std::vector<ModelValue> elements;

  bool operator==(const ModelValue&) const = default;  // the same tree, in the same order
};

inline ModelValue model_of(json::Value value) {
  ModelValue model;
  model.type = value.type();
  model.text = value.string_or_empty();
  model.boolean = value.boolean().value_or(false);
  model.integer = value.is(json::Type::kInteger) ? value.integer().value_or(0) : 0;
  model.number = value.number().value_or(0);
  if (value.is_object()) {
    for (const json::Member each : value.members()) {
      model.members.emplace_back(std::string(each.name), model_of(each.value));
    }
  } else if (value.is_array()) {
    for (const json::Value each : value.elements()) model.elements.push_back(model_of(each));
  }
  return model;
}

bool mean_same(const ModelValue& one, const ModelValue& other);

// Of duplicate names the last one counts.
inline std::map<std::string_view, const ModelValue*> counted_members(const ModelValue& object) {
  std::map<std::string_view, const ModelValue*> counted;
  for (const auto& [name, value] : object.members) counted[name] = &value;
  return counted;
}

inline bool have_same_members(const ModelValue& one, const ModelValue& other) {
  const auto ours = counted_members(one);
  const auto theirs = counted_members(other);
  if (ours.size() != theirs.size()) return false;
  for (const auto& [name, value] : ours) {
    const auto found = theirs.find(name);
    if (found == theirs.end() || !mean_same(*value, *found->second)) return false;
  }
  return true;
}

inline bool have_same_elements(const ModelValue& one, const ModelValue& other) {
  if (one.elements.size() != other.elements.size()) return false;
  for (std::size_t i = 0; i < one.elements.size(); ++i) {
    if (!mean_same(one.elements[i], other.elements[i])) return false;
  }
  return true;
}

inline bool is_number(const ModelValue& value) {
  return value.type == json::Type::kInteger || value.type == json::Type::kNumber;
}

inline bool mean_same(const ModelValue& one, const ModelValue& other) {
  if (is_number(one) && is_number(other)) {
    const bool are_integers = one.type == other.type && one.type == json::Type::kInteger;
    return are_integers ? one.integer == other.integer : one.number == other.number;
  }
  if (one.type != other.type) return false;
  switch (one.type) {
    case json::Type::kBoolean:
      return one.boolean == other.boolean;
    case json::Type::kString:
      return one.text == other.text;
    case json::Type::kArray:
      return have_same_elements(one, other);
    case json::Type::kObject:
      return have_same_members(one, other);
    default:
      return true;
  }
}

inline ModelValue* find_child(ModelValue& parent, std::string_view token) {
  if (parent.type == json::Type::kArray) {
    const auto index = json::pointer_index(token);
    return index && *index < parent.elements.size() ? &parent.elements[*index] : nullptr;
  }
  for (auto member = parent.members.rbegin(); member != parent.members.rend(); ++member) {
    if (member->first == token) return &member->second;
  }
  return nullptr;
}

inline bool add_child(ModelValue& parent, const std::string& token, const ModelValue& value) {
  if (parent.type == json::Type::kObject) {
    ModelValue* const present = find_child(parent, token);
    if (present != nullptr) {
      *present = value;
    } else {
      parent.members.emplace_back(token, value);
    }
    return true;
  }
  if (parent.type != json::Type::kArray) return false;
  const auto index =
      token == "-" ? std::optional(parent.elements.size()) : json::pointer_index(token);
  if (!index || *index > parent.elements.size()) return false;
  parent.elements.insert(parent.elements.begin() + static_cast<std::ptrdiff_t>(*index), value);
  return true;
}

inline void remove_child(ModelValue& parent, const ModelValue* child) {
  std::erase_if(parent.members, [child](const auto& each) { return &each.second == child; });
  if (parent.type != json::Type::kArray) return;
  parent.elements.erase(parent.elements.begin() + (child - parent.elements.data()));
}

// One operation; false if it fails.
inline bool apply_operation(ModelValue& root, json::Value operation) {
  const auto name = operation["op"].string();
  const auto path = operation["path"].string();
  const json::Value given = operation["value"];
  if (!name || !path || (*name != "remove" && !given.exists())) return false;
  if (path->empty() || path->front() != '/') return false;
  ModelValue* parent = &root;
  std::string_view rest = *path;
  std::string token = json::take_pointer_token(rest);
  while (!rest.empty()) {
    parent = find_child(*parent, token);
    if (parent == nullptr) return false;
    token = json::take_pointer_token(rest);
  }
  if (*name == "add") return add_child(*parent, token, model_of(given));
  ModelValue* const child = find_child(*parent, token);
  if (child == nullptr) return false;
  if (*name == "test") return mean_same(*child, model_of(given));
  if (*name == "remove") {
    remove_child(*parent, child);
  } else if (*name == "replace") {
    *child = model_of(given);
  } else {
    return false;
  }
  return true;
}

// nullopt if an operation fails.
inline std::optional<ModelValue> patched_model(json::Value input, json::Value patch) {
  if (!patch.is_array() || !input.exists()) return std::nullopt;
  ModelValue root = model_of(input);
  for (const json::Value each : patch.elements()) {
    if (!apply_operation(root, each)) return std::nullopt;
  }
  return root;
}

}  // namespace dynamo::fuzz

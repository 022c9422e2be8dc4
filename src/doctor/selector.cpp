#include "doctor/selector.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace dynamo::doctor {
namespace {

bool is_among(std::string_view value, json::Value values) {
  for (const json::Value each : values.elements()) {
    if (each.string_or_empty() == value) return true;
  }
  return false;
}

bool holds(json::Value expression, json::Value labels) {
  const json::Value label = labels[expression["key"].string_or_empty()];
  const std::string_view word = expression["operator"].string_or_empty();
  const bool there = label.is_string();
  if (word == "Exists") return there;
  if (word == "DoesNotExist") return !there;
  if (word == "In") return there && is_among(label.string_or_empty(), expression["values"]);
  if (word == "NotIn") return !there || !is_among(label.string_or_empty(), expression["values"]);
  return false;
}

// A selector's requirement for one label.
struct Requirement {
  std::string_view key;
  std::string_view word;
  std::vector<std::string_view> values;
};

std::vector<Requirement> requirements_of(json::Value selector) {
  std::vector<Requirement> found;
  for (const json::Member each : selector["matchLabels"].members()) {
    found.push_back({each.name, "In", {each.value.string_or_empty()}});
  }
  for (const json::Value each : selector["matchExpressions"].elements()) {
    Requirement requirement{each["key"].string_or_empty(), each["operator"].string_or_empty(), {}};
    for (const json::Value value : each["values"].elements()) {
      requirement.values.push_back(value.string_or_empty());
    }
    found.push_back(std::move(requirement));
  }
  return found;
}

bool holds_any(const Requirement& one, const Requirement& other) {
  return std::ranges::find_first_of(one.values, other.values) != one.values.end();
}

bool holds_all(const Requirement& one, const Requirement& other) {
  return std::ranges::all_of(other.values, [&](std::string_view value) {
    return std::ranges::find(one.values, value) != one.values.end();
  });
}

bool forbids(const Requirement& one, const Requirement& other) {
  if (one.word == "DoesNotExist") return other.word == "In" || other.word == "Exists";
  if (one.word == "In" && other.word == "In") return !holds_any(one, other);
  return one.word == "NotIn" && other.word == "In" && holds_all(one, other);
}

}  // namespace

bool are_disjoint(json::Value one, json::Value other) {
  const std::vector<Requirement> others = requirements_of(other);
  for (const Requirement& a : requirements_of(one)) {
    for (const Requirement& b : others) {
      if (a.key == b.key && (forbids(a, b) || forbids(b, a))) return true;
    }
  }
  return false;
}

std::optional<std::vector<std::string_view>> named_namespaces(json::Value selector) {
  // Every namespace has this label, with its name.
  constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
  std::optional<std::vector<std::string_view>> names;
  for (Requirement& requirement : requirements_of(selector)) {
    if (requirement.key != kNameLabel || requirement.word != "In") continue;
    if (!names) {
      names = std::move(requirement.values);
      continue;
    }
    std::erase_if(*names, [&requirement](std::string_view name) {
      return std::ranges::find(requirement.values, name) == requirement.values.end();
    });
  }
  return names;
}

bool selects(json::Value selector, json::Value labels) {
  for (const json::Member wanted : selector["matchLabels"].members()) {
    const json::Value label = labels[wanted.name];
    if (!label.is_string() || label.string_or_empty() != wanted.value.string_or_empty()) {
      return false;
    }
  }
  for (const json::Value expression : selector["matchExpressions"].elements()) {
    if (!holds(expression, labels)) return false;
  }
  return true;
}

}  // namespace dynamo::doctor

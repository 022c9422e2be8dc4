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
struct Wish {
  std::string_view key;
  std::string_view word;
  std::vector<std::string_view> values;
};

std::vector<Wish> wishes(json::Value selector) {
  std::vector<Wish> found;
  for (const json::Member each : selector["matchLabels"].members()) {
    found.push_back({each.name, "In", {each.value.string_or_empty()}});
  }
  for (const json::Value each : selector["matchExpressions"].elements()) {
    Wish wish{each["key"].string_or_empty(), each["operator"].string_or_empty(), {}};
    for (const json::Value value : each["values"].elements()) {
      wish.values.push_back(value.string_or_empty());
    }
    found.push_back(std::move(wish));
  }
  return found;
}

bool holds_any(const Wish& one, const Wish& other) {
  return std::ranges::find_first_of(one.values, other.values) != one.values.end();
}

bool holds_all(const Wish& one, const Wish& other) {
  return std::ranges::all_of(other.values, [&](std::string_view value) {
    return std::ranges::find(one.values, value) != one.values.end();
  });
}

bool forbids(const Wish& one, const Wish& other) {
  if (one.word == "DoesNotExist") return other.word == "In" || other.word == "Exists";
  if (one.word == "In" && other.word == "In") return !holds_any(one, other);
  return one.word == "NotIn" && other.word == "In" && holds_all(one, other);
}

}  // namespace

bool are_disjoint(json::Value one, json::Value other) {
  const std::vector<Wish> others = wishes(other);
  for (const Wish& a : wishes(one)) {
    for (const Wish& b : others) {
      if (a.key == b.key && (forbids(a, b) || forbids(b, a))) return true;
    }
  }
  return false;
}

std::optional<std::vector<std::string_view>> named_namespaces(json::Value selector) {
  // Every namespace has this label, with its name.
  constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
  std::optional<std::vector<std::string_view>> names;
  for (Wish& wish : wishes(selector)) {
    if (wish.key != kNameLabel || wish.word != "In") continue;
    if (!names) {
      names = std::move(wish.values);
      continue;
    }
    std::erase_if(*names, [&wish](std::string_view name) {
      return std::ranges::find(wish.values, name) == wish.values.end();
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

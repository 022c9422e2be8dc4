#include "doctor/selector.hpp"

#include <string_view>

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

}  // namespace

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

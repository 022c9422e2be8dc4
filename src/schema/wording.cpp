#include "schema/wording.hpp"

#include <algorithm>

#include "schema/quantity.hpp"
#include "text/quoted.hpp"

namespace dynamo::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool is_quantity_schema(const Schema& schema) {
  return schema.type == Type::kIntOrString && schema.limits != nullptr &&
         schema.limits->pattern == kQuantityPattern;
}

std::string_view describe_type(const Schema& schema) {
  switch (schema.type) {
    case Type::kObject:
      return "an object";
    case Type::kArray:
      return "a list";
    case Type::kString:
      return "a string";
    case Type::kInteger:
      return "an integer";
    case Type::kNumber:
      return "a number";
    case Type::kBoolean:
      return "true or false";
    case Type::kIntOrString:
      return is_quantity_schema(schema) ? "a quantity such as 16Gi" : "an integer or a string";
    case Type::kAny:
      return "anything";
  }
  return "something else";
}

std::string wrong_type(const Schema& schema, json::Value found) {
  std::string text = "must be ";
  text += describe_type(schema);
  text += "; found ";
  text += json::type_name(found.type());
  return text;
}

std::string_view type_advice(const Schema& schema, json::Value found) {
  const bool is_scalar = found.is(json::Type::kInteger) || found.is(json::Type::kNumber) ||
                         found.is(json::Type::kBoolean);
  if (schema.type == Type::kString && is_scalar) return "; write it in quotes";
  const bool wants_number = schema.type == Type::kInteger || schema.type == Type::kNumber;
  const std::string_view text = found.string_or_empty();
  const bool is_number = !text.empty() && std::ranges::all_of(text, is_digit);
  const bool is_boolean = text == "true" || text == "false";
  if ((wants_number && is_number) || (schema.type == Type::kBoolean && is_boolean)) {
    return "; write it without quotes";
  }
  return {};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return text::quoted(text, kLongest);
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += ", ";
    out += quoted(word);
  }
  return out;
}

std::string did_you_mean(std::string_view suggestion) {
  if (suggestion.empty()) return {};
  return "; did you mean " + quoted(suggestion) + "?";
}

}  // namespace dynamo::schema

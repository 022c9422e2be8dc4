#include "schema/scalar.hpp"

#include <algorithm>
#include <charconv>

#include "schema/check_ids.hpp"
#include "schema/formats.hpp"
#include "schema/quantity.hpp"
#include "schema/suggest.hpp"
#include "schema/wording.hpp"

namespace dynamo::schema {
namespace {

ScalarProblem check_text(const Limits& limits, std::string_view text) {
  if (!limits.enumeration.empty() &&
      std::ranges::find(limits.enumeration, text) == limits.enumeration.end()) {
    return ScalarProblem::kEnum;
  }
  // A code point takes one to four bytes.
  if (limits.max_length && text.size() > *limits.max_length &&
      count_code_points(text) > *limits.max_length) {
    return ScalarProblem::kTooLong;
  }
  if (limits.min_length && count_code_points(text) < *limits.min_length) {
    return ScalarProblem::kTooShort;
  }
  if (!limits.pattern.empty() && !matches(text, limits.pattern)) return ScalarProblem::kPattern;
  return ScalarProblem::kNone;
}

ScalarProblem check_number(const Limits& limits, double number) {
  if (limits.minimum && number < *limits.minimum) return ScalarProblem::kMinimum;
  if (limits.maximum && number > *limits.maximum) return ScalarProblem::kMaximum;
  return ScalarProblem::kNone;
}

// Without a fraction for integers: "100", "0.5".
std::string number_text(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return {buffer, end.ptr};
}

std::string number_text(json::Value value) {
  if (const auto integer = value.integer()) return std::to_string(*integer);
  return number_text(value.number().value_or(0));
}

std::string characters(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " character" : " characters");
}

std::string bad_pattern(const Schema& schema, std::string_view text) {
  if (schema.limits->pattern == kQuantityPattern) {
    const std::string suggestion = suggested_quantity(text);
    return "must be a quantity such as 500m, 2 or 16Gi; found " + quoted(text) +
           (suggestion.empty() ? suggestion : "; write " + suggestion);
  }
  return "must match the pattern " + std::string(schema.limits->pattern) + "; found " +
         quoted(text);
}

std::string bad_format(const Schema& schema) {
  return schema.format == Format::kByte ? "must be base64 with padding"
                                        : "must be a time such as 2025-01-31T12:00:00Z";
}

std::string bad_word(const Schema& schema, std::string_view text) {
  const auto words = schema.limits->enumeration;
  return "must be one of " + quoted_list(words) + "; found " + quoted(text) +
         did_you_mean(nearest_word(words, text));
}

}  // namespace

ScalarProblem check_scalar(const Schema& schema, json::Value value) {
  if (!has_type(schema, value)) return ScalarProblem::kType;
  if (schema.limits == nullptr && schema.format == Format::kNone) return ScalarProblem::kNone;
  if (const auto text = value.string()) {
    const ScalarProblem found =
        schema.limits == nullptr ? ScalarProblem::kNone : check_text(*schema.limits, *text);
    if (found != ScalarProblem::kNone) return found;
    return has_format(*text, schema.format) ? ScalarProblem::kNone : ScalarProblem::kFormat;
  }
  if (schema.limits == nullptr) return ScalarProblem::kNone;
  const auto number = value.number();
  return number ? check_number(*schema.limits, *number) : ScalarProblem::kNone;
}

ProblemText describe_problem(ScalarProblem problem, const Schema& schema, json::Value value) {
  using enum api::ErrorType;
  const std::string_view text = value.string_or_empty();
  switch (problem) {
    case ScalarProblem::kNone:
      break;
    case ScalarProblem::kType:
      return {kTypeInvalid, ids::kType,
              wrong_type(schema, value) + std::string(type_advice(schema, value))};
    case ScalarProblem::kEnum:
      return {kNotSupported, ids::kEnum, bad_word(schema, text)};
    case ScalarProblem::kMinimum:
      return {kInvalid, ids::kMinimum,
              "must be at least " + number_text(*schema.limits->minimum) + "; found " +
                  number_text(value)};
    case ScalarProblem::kMaximum:
      return {kInvalid, ids::kMaximum,
              "must be at most " + number_text(*schema.limits->maximum) + "; found " +
                  number_text(value)};
    case ScalarProblem::kTooLong:
      return {kTooLong, ids::kLength,
              "must have at most " + characters(*schema.limits->max_length) + "; found " +
                  std::to_string(count_code_points(text))};
    case ScalarProblem::kTooShort:
      if (text.empty()) return {kInvalid, ids::kLength, "must not be empty"};
      return {kInvalid, ids::kLength,
              "must have at least " + characters(*schema.limits->min_length) + "; found " +
                  std::to_string(count_code_points(text))};
    case ScalarProblem::kPattern:
      return {kInvalid, ids::kPattern, bad_pattern(schema, text)};
    case ScalarProblem::kFormat:
      return {kInvalid, ids::kFormat, bad_format(schema)};
  }
  return {kInvalid, ids::kType, {}};
}

}  // namespace dynamo::schema

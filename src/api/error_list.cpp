#include "api/error_list.hpp"

#include <algorithm>

namespace dynamo::api {

std::string_view cause_reason(ErrorType type) {
  switch (type) {
    case ErrorType::kRequired:
      return "FieldValueRequired";
    case ErrorType::kInvalid:
      return "FieldValueInvalid";
    case ErrorType::kNotSupported:
      return "FieldValueNotSupported";
    case ErrorType::kForbidden:
      return "FieldValueForbidden";
    case ErrorType::kDuplicate:
      return "FieldValueDuplicate";
    case ErrorType::kNotFound:
      return "FieldValueNotFound";
    case ErrorType::kTypeInvalid:
      return "FieldValueTypeInvalid";
  }
  return "FieldValueInvalid";
}

std::string_view phrase(ErrorType type) {
  switch (type) {
    case ErrorType::kRequired:
      return "Required value";
    case ErrorType::kInvalid:
    case ErrorType::kTypeInvalid:
      return "Invalid value";
    case ErrorType::kNotSupported:
      return "Unsupported value";
    case ErrorType::kForbidden:
      return "Forbidden";
    case ErrorType::kDuplicate:
      return "Duplicate value";
    case ErrorType::kNotFound:
      return "Not found";
  }
  return "Invalid value";
}

std::string Error::message() const {
  std::string text{phrase(type)};
  text += ": ";
  text += detail;
  text += " [";
  text += rule;
  text += ']';
  return text;
}

std::string Warning::message() const {
  std::string text{field};
  text += ": ";
  text += detail;
  text += " [";
  text += rule;
  text += ']';
  return text;
}

namespace {

// True when `field` is `of` or a field of it.
bool lies_within(std::string_view field, std::string_view of) {
  return field.starts_with(of) &&
         (field.size() == of.size() || field[of.size()] == '.' || field[of.size()] == '[');
}

}  // namespace

void ErrorList::add(Error error) {
  const bool repeats = std::ranges::any_of(errors_, [&](const Error& known) {
    if (known.type == ErrorType::kTypeInvalid && lies_within(error.field, known.field)) return true;
    return known.rule == error.rule && known.field == error.field && known.detail == error.detail;
  });
  if (repeats) return;
  if (errors_.size() == kMaxErrors) {
    ++omitted_errors_;
  } else {
    errors_.push_back(std::move(error));
  }
}

void ErrorList::warn(Warning warning) {
  const bool repeats = std::ranges::any_of(warnings_, [&](const Warning& known) {
    return known.rule == warning.rule && known.field == warning.field &&
           known.detail == warning.detail;
  });
  if (repeats) return;
  if (warnings_.size() == kMaxWarnings) {
    ++omitted_warnings_;
  } else {
    warnings_.push_back(std::move(warning));
  }
}

void ErrorList::clear() {
  errors_.clear();
  warnings_.clear();
  omitted_errors_ = 0;
  omitted_warnings_ = 0;
}

}  // namespace dynamo::api

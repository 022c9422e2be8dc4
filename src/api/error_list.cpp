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
    case ErrorType::kTooLong:
      return "FieldValueTooLong";
    case ErrorType::kTooMany:
      return "FieldValueTooMany";
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
    case ErrorType::kTooLong:
      return "Too long";
    case ErrorType::kTooMany:
      return "Too many";
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

// True if `field` is `of` or a field below it.
bool lies_within(std::string_view field, std::string_view of) {
  return field.starts_with(of) &&
         (field.size() == of.size() || field[of.size()] == '.' || field[of.size()] == '[');
}

// Bytes of a text as a JSON string, without the quotes.
std::size_t written_size(std::string_view text) {
  constexpr std::size_t kMaxOfOneByte = 6;  // \u001f
  std::size_t size = text.size();
  for (const char c : text) {
    if (c == '"' || c == '\\') ++size;
    if (static_cast<unsigned char>(c) < 0x20) size += kMaxOfOneByte - 1;
  }
  return size;
}

// For an error or a warning.
template <typename Finding>
std::size_t size_of(const Finding& finding) {
  return written_size(finding.field) + written_size(finding.detail);
}

template <typename Finding>
std::size_t size_of_all(const std::vector<Finding>& findings) {
  std::size_t size = 0;
  for (const Finding& finding : findings) size += size_of(finding);
  return size;
}

}  // namespace

void ErrorList::add(Error error) {
  if (are_errors_full()) return omit_error();
  const bool repeats = std::ranges::any_of(errors_, [&](const Error& known) {
    if (known.type == ErrorType::kTypeInvalid && lies_within(error.field, known.field)) return true;
    return known.rule == error.rule && known.field == error.field && known.detail == error.detail;
  });
  if (repeats) return;
  const std::size_t size = size_of(error);
  errors_cut_ = !errors_.empty() && error_bytes_ + size > kMaxErrorBytes;
  if (errors_cut_) return omit_error();
  error_bytes_ += size;
  errors_.push_back(std::move(error));
}

void ErrorList::warn(Warning warning) {
  if (are_warnings_full()) return omit_warning();
  const bool repeats = std::ranges::any_of(warnings_, [&](const Warning& known) {
    return known.rule == warning.rule && known.field == warning.field &&
           known.detail == warning.detail;
  });
  if (repeats) return;
  const std::size_t size = size_of(warning);
  warnings_cut_ = !warnings_.empty() && warning_bytes_ + size > kMaxWarningBytes;
  if (warnings_cut_) return omit_warning();
  warning_bytes_ += size;
  warnings_.push_back(std::move(warning));
}

void ErrorList::warn_first(std::vector<Warning> warnings) {
  warnings_.swap(warnings);
  measure();
  for (Warning& warning : warnings) warn(std::move(warning));
}

namespace {

// Splits off the first step of a rendered path: "spec", then ".services", then "[Decode]".
std::string_view take_step(std::string_view& path) {
  std::size_t length = 1;
  if (path.front() == '[') {
    const std::size_t end = path.find(']');  // keys may contain dots
    length = end == std::string_view::npos ? path.size() : end + 1;
  } else {
    while (length < path.size() && path[length] != '.' && path[length] != '[') ++length;
  }
  const std::string_view step = path.substr(0, length);
  path.remove_prefix(length);
  return step;
}

bool is_index(std::string_view step) {
  return step.size() > 2 && step.front() == '[' &&
         std::ranges::all_of(step.substr(1, step.size() - 2),
                             [](char c) { return c >= '0' && c <= '9'; });
}

bool step_comes_before(std::string_view left, std::string_view right) {
  // Numbers before words: a mixed order such as "9" < "10" < "1a" < "9" would be cyclic.
  if (is_index(left) != is_index(right)) return is_index(left);
  // Rendered indices have no leading zeros: the longer one is larger.
  if (is_index(left) && left.size() != right.size()) return left.size() < right.size();
  return left < right;
}

}  // namespace

bool comes_before(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    const std::string_view left_step = take_step(left);
    const std::string_view right_step = take_step(right);
    if (left_step != right_step) return step_comes_before(left_step, right_step);
  }
  return left.empty() && !right.empty();
}

void ErrorList::sort_by_field() {
  std::ranges::stable_sort(errors_, comes_before, &Error::field);
  std::ranges::stable_sort(warnings_, comes_before, &Warning::field);
}

void ErrorList::measure() {
  error_bytes_ = size_of_all(errors_);
  warning_bytes_ = size_of_all(warnings_);
  errors_cut_ = false;
  warnings_cut_ = false;
}

void ErrorList::return_to(const Mark& mark) {
  errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(mark.errors), errors_.end());
  warnings_.erase(warnings_.begin() + static_cast<std::ptrdiff_t>(mark.warnings), warnings_.end());
  omitted_errors_ = mark.omitted_errors;
  omitted_warnings_ = mark.omitted_warnings;
  measure();
}

void ErrorList::clear() {
  errors_.clear();
  warnings_.clear();
  error_bytes_ = 0;
  warning_bytes_ = 0;
  errors_cut_ = false;
  warnings_cut_ = false;
  omitted_errors_ = 0;
  omitted_warnings_ = 0;
}

}  // namespace dynamo::api

// The findings of rules: errors and warnings, each with field path and rule id.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_path.hpp"

namespace dynamo::api {

// The kinds of field errors, with the names and phrases of Kubernetes (metav1.CauseType and
// field.ErrorType).
enum class ErrorType : unsigned char {
  kRequired,      // a required value is missing
  kInvalid,       // the value violates a rule
  kNotSupported,  // the value is not one of a closed list
  kForbidden,     // the field may not be set or changed here
  kDuplicate,     // the value must be unique and is not
  kNotFound,      // the value names an object that does not exist
  kTypeInvalid,   // the value has the wrong JSON type
  kTooLong,       // the text is longer than allowed
  kTooMany,       // the list or map has more entries than allowed
};

// "FieldValueRequired", the `reason` of a status cause.
std::string_view cause_reason(ErrorType type);
// "Required value", as kubectl prints it.
std::string_view phrase(ErrorType type);

// The order of rendered paths in sort_by_field().
bool comes_before(std::string_view left, std::string_view right);

struct Error {
  ErrorType type;
  std::string field;      // rendered path
  std::string detail;     // what must hold; what was found; what to do
  std::string_view rule;  // id in the catalog, of static lifetime

  // "Required value: must name at least one service [dgd.services.required]"
  std::string message() const;
};

struct Warning {
  std::string field;
  std::string detail;
  std::string_view rule;
  bool excused = false;  // would be an error without an exemption in the policy

  // "spec.services[A].autoscaling: is ignored [service.autoscaling.deprecated]"
  std::string message() const;
};

// The most errors and warnings that are kept for one object; further ones are only counted. A user
// reads the first ten, and a response must stay small for every object.
inline constexpr std::size_t kMaxErrors = 100;
inline constexpr std::size_t kMaxWarnings = 100;
// The most bytes of fields and details that are kept, as JSON. A response contains each error
// twice, and warnings up to a separate limit, and must stay below 64 KiB. A hundred typical
// findings fit.
inline constexpr std::size_t kMaxErrorBytes = std::size_t{18} << 10U;
inline constexpr std::size_t kMaxWarningBytes = std::size_t{24} << 10U;

// Collects findings in call order. Empty means no findings. Reused: clear() keeps the memory. Not
// thread-safe.
class ErrorList {
 public:
  // Drops an error at or below a field that has the wrong JSON type: it only repeats that the value
  // cannot be read. Also drops exact repetitions. Once a limit is reached, every call only counts,
  // repetitions included; the first error is always kept.
  void add(Error error);
  void warn(Warning warning);
  // Inserts these warnings before the existing ones; warnings above the limit are only counted.
  void warn_first(std::vector<Warning> warnings);
  // Counts more findings without storing them: for callers that need not render them once the list
  // is full.
  void omit_error() { omit_errors(1); }
  void omit_warning() { omit_warnings(1); }
  void omit_errors(std::size_t count) { omitted_errors_ += count; }
  void omit_warnings(std::size_t count) { omitted_warnings_ += count; }
  bool are_errors_full() const { return errors_.size() == kMaxErrors || errors_cut_; }
  bool are_warnings_full() const { return warnings_.size() == kMaxWarnings || warnings_cut_; }

  // The number of findings at some moment, to identify later ones.
  struct Mark {
    std::size_t errors;
    std::size_t warnings;
    std::size_t omitted_errors;
    std::size_t omitted_warnings;
    bool operator==(const Mark&) const = default;
  };
  Mark mark() const {
    return {errors_.size(), warnings_.size(), omitted_errors_, omitted_warnings_};
  }
  // Removes findings added after the mark. Precondition: none was dropped or sorted since.
  void return_to(const Mark& mark);

  std::span<const Error> errors() const { return errors_; }
  std::span<const Warning> warnings() const { return warnings_; }
  bool has_errors() const { return !errors_.empty(); }
  // Errors and warnings above the limits.
  std::size_t omitted_errors() const { return omitted_errors_; }
  std::size_t omitted_warnings() const { return omitted_warnings_; }
  bool empty() const { return errors_.empty() && warnings_.empty(); }
  void clear();

  // Sorts errors and warnings in the API's field order: by path, names and keys alphabetically,
  // indices numerically, a block before its fields. Stable for equal paths.
  void sort_by_field();

  // Removes the errors from index `first` on for which `drop(error)` holds.
  template <typename Predicate>
  void drop_errors_from(std::size_t first, Predicate drop) {
    std::erase_if(errors_, [&, index = std::size_t{0}](const Error& error) mutable {
      return index++ >= first && drop(error);
    });
    measure();
  }

  // Likewise for warnings.
  template <typename Predicate>
  void drop_warnings_from(std::size_t first, Predicate drop) {
    std::erase_if(warnings_, [&, index = std::size_t{0}](const Warning& warning) mutable {
      return index++ >= first && drop(warning);
    });
    measure();
  }

 private:
  // Recounts after a removal, which may make space again.
  void measure();

  std::vector<Error> errors_;
  std::vector<Warning> warnings_;
  std::size_t error_bytes_ = 0;
  std::size_t warning_bytes_ = 0;
  bool errors_cut_ = false;  // one error did not fit: no more are kept
  bool warnings_cut_ = false;
  std::size_t omitted_errors_ = 0;
  std::size_t omitted_warnings_ = 0;
};

}  // namespace dynamo::api

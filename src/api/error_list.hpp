// What rules say of an object: errors and warnings, each with field path and rule id.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_path.hpp"

namespace dynamo::api {

// The kinds of field errors, named and worded as Kubernetes names them (metav1.CauseType and
// field.ErrorType).
enum class ErrorType : unsigned char {
  kRequired,      // a value is needed and there is none
  kInvalid,       // the value breaks a rule
  kNotSupported,  // the value is not one of a closed list
  kForbidden,     // the field may not be set or changed here
  kDuplicate,     // the value must be unique and is not
  kNotFound,      // the value names something that does not exist
  kTypeInvalid,   // the value has the wrong JSON type
  kTooLong,       // the text is longer than is allowed
  kTooMany,       // the list or map holds more than is allowed
};

// "FieldValueRequired", the `reason` of a status cause.
std::string_view cause_reason(ErrorType type);
// "Required value", how kubectl users know it.
std::string_view phrase(ErrorType type);

// The order of rendered paths that sort_by_field() uses.
bool comes_before(std::string_view left, std::string_view right);

struct Error {
  ErrorType type;
  std::string field;      // rendered path
  std::string detail;     // what must hold; what was found; what to do
  std::string_view rule;  // id in the catalogue, of static lifetime

  // "Required value: must name at least one service [dgd.services.required]"
  std::string message() const;
};

struct Warning {
  std::string field;
  std::string detail;
  std::string_view rule;
  bool excused = false;  // would be an error, but for an exemption of a policy

  // "spec.services[A].autoscaling: is ignored [service.autoscaling.deprecated]"
  std::string message() const;
};

// How many errors and how many warnings one object can get; the rest is only counted. A person
// reads the first ten, and an answer has to stay small whatever the object holds.
inline constexpr std::size_t kMaxErrors = 100;
inline constexpr std::size_t kMaxWarnings = 100;
// How many bytes of fields and details are kept, as they are in JSON: an answer says each error
// twice, and warnings up to a limit of their own, and must stay below 64 KiB. A hundred usual ones
// are below.
inline constexpr std::size_t kMaxErrorBytes = std::size_t{18} << 10U;
inline constexpr std::size_t kMaxWarningBytes = std::size_t{24} << 10U;

// Collects in the order of the calls. Empty means nothing to say. Reused: clear() keeps the memory.
// Not thread-safe.
class ErrorList {
 public:
  // An error at, or below, a field that has the wrong JSON type is dropped: it only repeats that
  // the value cannot be read. An exact repetition is dropped too. Once a limit is reached every
  // call only counts, whatever it repeats; the first error is always noted.
  void add(Error error);
  void warn(Warning warning);
  // Puts these in front of the warnings there are; what then lies beyond the limit is only counted.
  void warn_first(std::vector<Warning> warnings);
  // One more that is only counted: for callers that need not render it once the list is full.
  void omit_error() { ++omitted_errors_; }
  void omit_warning() { ++omitted_warnings_; }
  bool errors_full() const { return errors_.size() == kMaxErrors || errors_cut_; }
  bool warnings_full() const { return warnings_.size() == kMaxWarnings || warnings_cut_; }

  // How much was found at some moment, to tell what came later.
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
  // Forgets what came after the mark. Precondition: nothing was dropped or sorted since.
  void return_to(const Mark& mark);

  std::span<const Error> errors() const { return errors_; }
  std::span<const Warning> warnings() const { return warnings_; }
  bool has_errors() const { return !errors_.empty(); }
  // Errors and warnings beyond the limits.
  std::size_t omitted_errors() const { return omitted_errors_; }
  std::size_t omitted_warnings() const { return omitted_warnings_; }
  bool empty() const { return errors_.empty() && warnings_.empty(); }
  void clear();

  // Brings errors and warnings into the order in which the API lists its fields: by path, names and
  // keys in alphabetical order, indices by number, a block before its fields. What stands at one
  // path keeps its order.
  void sort_by_field();

  // Removes the errors from index `first` on for which `drop(error)` holds.
  template <typename Predicate>
  void drop_errors_from(std::size_t first, Predicate drop) {
    std::erase_if(errors_, [&, index = std::size_t{0}](const Error& error) mutable {
      return index++ >= first && drop(error);
    });
    measure();
  }

  // The same for warnings.
  template <typename Predicate>
  void drop_warnings_from(std::size_t first, Predicate drop) {
    std::erase_if(warnings_, [&, index = std::size_t{0}](const Warning& warning) mutable {
      return index++ >= first && drop(warning);
    });
    measure();
  }

 private:
  // After something was taken out: how much there is, and that there is room again.
  void measure();

  std::vector<Error> errors_;
  std::vector<Warning> warnings_;
  std::size_t error_bytes_ = 0;
  std::size_t warning_bytes_ = 0;
  bool errors_cut_ = false;  // one did not fit: none is noted any more
  bool warnings_cut_ = false;
  std::size_t omitted_errors_ = 0;
  std::size_t omitted_warnings_ = 0;
};

}  // namespace dynamo::api

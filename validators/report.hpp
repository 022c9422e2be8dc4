// The interface through which a rule reports findings: Report adds the rule's id and severity.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "api/error_list.hpp"
#include "api/field_path.hpp"

namespace dynamo::validators {

enum class Severity : unsigned char { kOff, kWarn, kDeny };

// "off", "warn" or "deny".
std::string_view to_string(Severity severity);

// Distinguishes a finding from others of the same rule at the same field, for the ratchet: see
// ratchet.hpp. The default is the source location in the rule and the value at the field.
struct Discriminator {
  std::uint64_t hash;
};

// Hash of the names or values that the finding is about, in this order. Use it for a finding at a
// list or an object of which one part is wrong, or at a field that does not exist.
Discriminator about(std::initializer_list<std::string_view> values);

// The source location of a finding and its discriminator, if any.
struct FindingOrigin {
  std::source_location where;
  std::optional<Discriminator> discriminator = std::nullopt;
};

// Receives each finding of a rule before it is recorded, even if the list is full, until it wants
// no more.
class ReportFilter {
 public:
  ReportFilter() = default;
  ReportFilter(const ReportFilter&) = delete;
  ReportFilter& operator=(const ReportFilter&) = delete;
  // Whether to record the finding. Without a type it is a warning.
  virtual bool passes(std::optional<api::ErrorType> type, const api::FieldPath& path,
                      std::string_view detail, const FindingOrigin& origin) = 0;
  // Whether further findings matter. If not, they are neither passed nor recorded.
  virtual bool wants_more() const { return true; }

 protected:
  ~ReportFilter() = default;
};

// Used for one call of one rule.
class Report {
 public:
  // `filter` may be null: then everything is recorded.
  Report(std::string_view rule, Severity severity, api::ErrorList& errors,
         ReportFilter* filter = nullptr)
      : rule_(rule), severity_(severity), errors_(errors), filter_(filter) {}

  // Nearly all objects are valid, so the code for findings is marked cold and the compiler moves it
  // out of the path that every request runs.

  // Reports that the object breaks the rule at `path`. `detail` states what must hold, what was
  // found and what to do; it must not contain a value that could be a secret. An error or a
  // warning, by the rule's severity.
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, std::string detail,
                         std::source_location where = std::source_location::current()) {
    note(type, path, std::move(detail), {where});
  }
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, std::string detail,
                         Discriminator discriminator) {
    note(type, path, std::move(detail), {{}, discriminator});
  }

  // Reports a warning, regardless of the severity.
  [[gnu::cold]] void also_warn(const api::FieldPath& path, std::string detail,
                               std::source_location where = std::source_location::current()) {
    warn(path, std::move(detail), {where});
  }
  [[gnu::cold]] void also_warn(const api::FieldPath& path, std::string detail,
                               Discriminator discriminator) {
    warn(path, std::move(detail), {{}, discriminator});
  }

  // The same functions with a text that is only built if it is kept, for findings that a list can
  // repeat a hundred thousand times.
  template <std::invocable MakeDetail>
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, MakeDetail make_detail,
                         std::source_location where = std::source_location::current()) {
    if (!wants_text()) return omit();
    add(type, path, std::string(make_detail()), where);
  }
  template <std::invocable MakeDetail, std::invocable MakeDiscriminator>
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, MakeDetail make_detail,
                         MakeDiscriminator make_discriminator) {
    if (!wants_text()) return omit();
    add(type, path, std::string(make_detail()), make_discriminator());
  }
  template <std::invocable MakeDetail>
  [[gnu::cold]] void also_warn(const api::FieldPath& path, MakeDetail make_detail,
                               std::source_location where = std::source_location::current()) {
    if (!wants_warning_text()) return omit_warning();
    also_warn(path, std::string(make_detail()), where);
  }

  // Whether add() would use a text. If not, omit() has the same effect as add().
  bool wants_text() const {
    if (severity_ != Severity::kDeny) return wants_warning_text();
    return filter_ == nullptr ? !errors_.are_errors_full() : filter_->wants_more();
  }
  void omit() {
    if (severity_ != Severity::kDeny) return omit_warning();
    if (filter_ == nullptr) errors_.omit_error();
  }
  // The same for also_warn().
  bool wants_warning_text() const {
    return filter_ == nullptr ? !errors_.are_warnings_full() : filter_->wants_more();
  }
  void omit_warning() {
    if (filter_ == nullptr) errors_.omit_warning();
  }

 private:
  [[gnu::cold]] void note(api::ErrorType type, const api::FieldPath& path, std::string detail,
                          const FindingOrigin& origin) {
    if (severity_ != Severity::kDeny) return warn(path, std::move(detail), origin);
    if (!passes(type, path, detail, origin)) return;
    if (errors_.are_errors_full()) return errors_.omit_error();
    errors_.add({type, path.render(), std::move(detail), rule_});
  }

  [[gnu::cold]] void warn(const api::FieldPath& path, std::string detail,
                          const FindingOrigin& origin) {
    if (!passes(std::nullopt, path, detail, origin)) return;
    if (errors_.are_warnings_full()) return errors_.omit_warning();
    errors_.warn({path.render(), std::move(detail), rule_});
  }

  bool passes(std::optional<api::ErrorType> type, const api::FieldPath& path,
              std::string_view detail, const FindingOrigin& origin) {
    if (filter_ == nullptr) return true;
    return filter_->wants_more() && filter_->passes(type, path, detail, origin);
  }

  std::string_view rule_;
  Severity severity_;
  api::ErrorList& errors_;
  ReportFilter* filter_;
};

// `text` in double quotes for a message. If it has more than 64 bytes, only the first 40 and the
// last 20 are shown; control characters become spaces. If the text contains an invisible character,
// its name follows, as with text::quoted().
[[gnu::cold]] std::string quoted(std::string_view text);

}  // namespace dynamo::validators

// What a rule is handed to speak with: it puts the rule's id and severity on what the rule says.
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

// What tells a finding from others of its rule at its field, for the ratchet: see ratchet.hpp.
// Where a rule gives none it is where in the rule the finding was said, and the value at the field.
struct Discriminator {
  std::uint64_t hash;
};

// Of the names or values that the finding is about, in this order. For a finding at a list or an
// object, of which one part is wrong, or at a field that is not there.
Discriminator about(std::initializer_list<std::string_view> values);

// Where and of what a rule speaks, beside the field.
struct Said {
  std::source_location where;
  std::optional<Discriminator> about = std::nullopt;
};

// Hears each finding of a rule before it is noted, and whatever room there is for it.
class FindingWatch {
 public:
  FindingWatch() = default;
  FindingWatch(const FindingWatch&) = delete;
  FindingWatch& operator=(const FindingWatch&) = delete;
  // Whether it is to be noted. Without a type it is a warning.
  virtual bool passes(std::optional<api::ErrorType> type, const api::FieldPath& path,
                      std::string_view detail, const Said& said) = 0;

 protected:
  ~FindingWatch() = default;
};

// Lives for one call of one rule.
class Report {
 public:
  // `watch` may be null: everything is noted.
  Report(std::string_view rule, Severity severity, api::ErrorList& errors,
         FindingWatch* watch = nullptr)
      : rule_(rule), severity_(severity), errors_(errors), watch_(watch) {}

  // Nearly all objects are right: what leads to a finding is cold, so that the compiler moves it
  // out of the way of what every request runs through.

  // The rule is broken at `path`. `detail` says what must hold, what was found, what to do; no
  // value that could be a secret. An error or a warning, by the rule's severity.
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, std::string detail,
                         std::source_location where = std::source_location::current()) {
    note(type, path, std::move(detail), {where});
  }
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, std::string detail,
                         Discriminator discriminator) {
    note(type, path, std::move(detail), {{}, discriminator});
  }

  // A warning whatever the severity.
  [[gnu::cold]] void also_warn(const api::FieldPath& path, std::string detail,
                               std::source_location where = std::source_location::current()) {
    warn(path, std::move(detail), {where});
  }
  [[gnu::cold]] void also_warn(const api::FieldPath& path, std::string detail,
                               Discriminator discriminator) {
    warn(path, std::move(detail), {{}, discriminator});
  }

  // The same with a text that is only made when it is kept: for what may be found a hundred
  // thousand times, element by element of a list.
  template <std::invocable MakeDetail>
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, MakeDetail make_detail,
                         std::source_location where = std::source_location::current()) {
    if (!keeps()) return omit();
    add(type, path, std::string(make_detail()), where);
  }
  template <std::invocable MakeDetail, std::invocable MakeDiscriminator>
  [[gnu::cold]] void add(api::ErrorType type, const api::FieldPath& path, MakeDetail make_detail,
                         MakeDiscriminator make_discriminator) {
    if (!keeps()) return omit();
    add(type, path, std::string(make_detail()), make_discriminator());
  }
  template <std::invocable MakeDetail>
  [[gnu::cold]] void also_warn(const api::FieldPath& path, MakeDetail make_detail,
                               std::source_location where = std::source_location::current()) {
    if (!keeps_warnings()) return omit_warning();
    also_warn(path, std::string(make_detail()), where);
  }

  // Whether add() would look at a text; when it would not, omit() does all that add() does.
  bool keeps() const {
    if (severity_ != Severity::kDeny) return keeps_warnings();
    return watch_ != nullptr || !errors_.errors_full();
  }
  void omit() { return severity_ == Severity::kDeny ? errors_.omit_error() : omit_warning(); }
  // The same of also_warn().
  bool keeps_warnings() const { return watch_ != nullptr || !errors_.warnings_full(); }
  void omit_warning() { errors_.omit_warning(); }

 private:
  [[gnu::cold]] void note(api::ErrorType type, const api::FieldPath& path, std::string detail,
                          const Said& said) {
    if (severity_ != Severity::kDeny) return warn(path, std::move(detail), said);
    if (watch_ != nullptr && !watch_->passes(type, path, detail, said)) return;
    if (errors_.errors_full()) return errors_.omit_error();
    errors_.add({type, path.render(), std::move(detail), rule_});
  }

  [[gnu::cold]] void warn(const api::FieldPath& path, std::string detail, const Said& said) {
    if (watch_ != nullptr && !watch_->passes(std::nullopt, path, detail, said)) return;
    if (errors_.warnings_full()) return errors_.omit_warning();
    errors_.warn({path.render(), std::move(detail), rule_});
  }

  std::string_view rule_;
  Severity severity_;
  api::ErrorList& errors_;
  FindingWatch* watch_;
};

// `text` in double quotes for a message: of more than 64 bytes the first 40
// and the last 20, control characters as spaces. Behind it the name of a character that
// cannot be seen, as text::quoted() does.
[[gnu::cold]] std::string quoted(std::string_view text);

}  // namespace dynamo::validators

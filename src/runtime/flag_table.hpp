// The table of a program's flags: one row says all there is to say about a flag. Reading, --help,
// documentation, defaults and bounds all come from it. Each program has its table, and the struct
// of options that the rows fill, beside itself; reading it is in flags.hpp.
//
//   const FlagTable<Options>& flag_table() {
//     static const FlagTable<Options> table(
//         {.name = "dynamo-something", .purpose = "does something", .examples = kExamples,
//          .table = "src/something/flag_table.cpp"},
//         {{"Process", {{"threads", into(&Options::threads, CountForm{0, 256}), "0", "Threads."},
//                       {"log-level", into(&Options::log_level, ChoiceForm{kLogLevels}), "info",
//                        "The least severe lines that are written."}}}});
//     return table;
//   }
#pragma once

#include <cassert>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/flag_forms.hpp"

namespace dynamo::runtime {

struct UsageExample {
  std::string_view comment;  // what it is for
  std::string_view line;     // as it is typed
};

// A variable of the environment that the program reads itself.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;  // sentences
};

// What a program says of itself; everything of static lifetime.
struct ProgramTexts {
  std::string_view name;     // of its file
  std::string_view purpose;  // completes "NAME VERSION: …"
  std::span<const UsageExample> examples;
  std::string_view table;  // the file in which its flags stand, for those who read their page
  // Words that may stand in place of the flags, as lines that can be typed.
  std::span<const UsageExample> commands = {};
  std::span<const EnvironmentVariable> environment = {};
};

// A flag as it is explained.
struct FlagText {
  std::string_view name;
  FormTexts form;
  std::string_view default_value;
  std::string_view help;
  bool ends_program = false;  // --help and --version

  bool takes_value() const { return !form.word.empty(); }
};

struct FlagSection {
  std::string_view title;
  std::vector<FlagText> flags;
};

// All that is explained, in the order of --help.
struct FlagPage {
  ProgramTexts program;
  std::vector<FlagSection> sections;
};

// --version and --help, which every program has.
FlagSection information_section();

// A flag with the text that it was given.
struct GivenFlag {
  std::size_t index;  // of its row, counted through all sections
  std::string_view name;
  std::string text;
};

// Those that the command line names, in the order of the table.
class GivenFlags {
 public:
  explicit GivenFlags(std::vector<GivenFlag> flags) : flags_(std::move(flags)) {}

  std::span<const GivenFlag> all() const { return flags_; }
  bool has(std::string_view name) const;

 private:
  std::vector<GivenFlag> flags_;
};

// What a value must be, and where it goes.
template <class Options>
struct FlagValue {
  FormTexts form;
  // False, with nothing changed, when `form.accepts` does not cover the text.
  std::function<bool(Options&, std::string_view text)> set;
};

// What the form reads goes into that member.
template <class Options, class Member, FlagForm Form>
FlagValue<Options> into(Member Options::*member, Form form) {
  FormTexts texts = form.texts();
  return {std::move(texts),
          [member, form = std::move(form)](Options& options, std::string_view text) {
            auto value = form.parse(text);
            if (!value) return false;
            options.*member = static_cast<Member>(*std::move(value));
            return true;
          }};
}

template <class Options>
struct Flag {
  std::string_view name;  // without the two hyphens
  FlagValue<Options> value;
  std::string_view default_value;  // as it would be typed; empty: not set
  std::string_view help;           // sentences, without default and bounds
};

template <class Options>
struct FlagGroup {
  std::string_view title;
  std::vector<Flag<Options>> flags;
};

// Immutable; any thread.
template <class Options>
class FlagTable {
 public:
  // What no single flag can say: the mistake without the program's name, or nothing. It may also
  // settle in the options what depends on which flags were given.
  using Check = std::optional<std::string> (*)(Options&, const GivenFlags&);

  FlagTable(const ProgramTexts& program, const std::vector<FlagGroup<Options>>& groups,
            Check together = nullptr)
      : page_{program, {}}, check_(together) {
    for (const FlagGroup<Options>& group : groups) {
      FlagSection& section = page_.sections.emplace_back(FlagSection{group.title, {}});
      for (const Flag<Options>& flag : group.flags) {
        section.flags.push_back({flag.name, flag.value.form, flag.default_value, flag.help});
        setters_.push_back(flag.value.set);
      }
    }
    page_.sections.push_back(information_section());
  }

  const FlagPage& page() const { return page_; }

  // What every flag is that is not given.
  Options defaults() const {
    Options options;
    std::size_t index = 0;
    for (const FlagSection& section : page_.sections) {
      for (const FlagText& flag : section.flags) {
        if (!flag.default_value.empty()) {
          [[maybe_unused]] const bool fits = set(index, flag.default_value, options);
          assert(fits);
        }
        ++index;
      }
    }
    return options;
  }

  // False, with nothing changed, when the row does not accept the text. `index` counts through all
  // sections, but those that end the program.
  bool set(std::size_t index, std::string_view text, Options& options) const {
    return setters_.at(index)(options, text);
  }

  std::optional<std::string> check(Options& options, const GivenFlags& given) const {
    return check_ == nullptr ? std::nullopt : check_(options, given);
  }

 private:
  FlagPage page_;
  std::vector<std::function<bool(Options&, std::string_view)>> setters_;
  Check check_;
};

}  // namespace dynamo::runtime

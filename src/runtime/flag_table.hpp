// The table of a program's flags: one row defines everything about a flag. Parsing, --help,
// documentation, defaults and bounds use it. Each program defines its table, and the struct of
// options that the rows set; flags.hpp parses the command line.
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

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/build_info.hpp"
#include "runtime/flag_forms.hpp"

namespace dynamo::runtime {

struct UsageExample {
  std::string_view comment;  // its purpose
  std::string_view line;     // as typed
};

// An environment variable that the program reads itself.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;  // sentences
};

struct ExitCode {
  std::string_view code;
  std::string_view meaning;  // sentences
};

// How a program describes itself; everything has static lifetime.
struct ProgramTexts {
  std::string_view name;     // of its file
  std::string_view purpose;  // completes "NAME VERSION: …"
  std::span<const UsageExample> examples;
  std::string_view table;  // the file that defines its flags, for readers of the documentation
  // Words that may replace the flags, as lines that can be typed.
  std::span<const UsageExample> commands = {};
  std::span<const EnvironmentVariable> environment = {};
  std::span<const ExitCode> exit_codes = {};
  std::string_view api_versions = kApiGroupVersion;  // that it handles, for --version
};

// The description of a flag.
struct FlagText {
  std::string_view name;
  FormTexts form;
  std::string_view default_value;
  std::string_view help;
  bool ends_program = false;   // --help and --version
  char letter = '\0';          // `-f` for `--filename`; '\0': none
  std::string_view also = {};  // another accepted spelling, which is not shown; empty: none
  bool repeats = false;        // otherwise the last one counts

  bool takes_value() const { return !form.word.empty(); }
};

struct FlagSection {
  std::string_view title;
  std::vector<FlagText> flags;
};

// Everything that is documented, in the order of --help.
struct FlagPage {
  ProgramTexts program;
  std::vector<FlagSection> sections;
};

// --version and --help, for programs whose own rows have no --help.
FlagSection information_section();

// A flag and its text on the command line.
struct ParsedFlag {
  std::size_t index;  // of its row, counted through all sections
  std::string_view name;
  std::string text;
};

// The flags on the command line, in the order of the table: all occurrences of a repeatable flag,
// otherwise the last one.
class ParsedFlags {
 public:
  explicit ParsedFlags(std::vector<ParsedFlag> flags) : flags_(std::move(flags)) {}

  std::span<const ParsedFlag> all() const { return flags_; }
  bool has(std::string_view name) const;

 private:
  std::vector<ParsedFlag> flags_;
};

// The type of a value, and how to store it.
template <class Options>
struct FlagValue {
  FormTexts form;
  // Returns false, without changes, if `form.accepts` does not cover the text.
  std::function<bool(Options&, std::string_view text)> set;
  bool repeats = false;       // each occurrence adds to the earlier ones
  bool ends_program = false;  // as in FlagText
};

// Stores the parsed value in that member.
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

// The same for a repeatable flag: each occurrence adds an item or a list.
template <class Options, class Item, FlagForm Form>
FlagValue<Options> each_into(std::vector<Item> Options::*member, Form form) {
  FormTexts texts = form.texts();
  const auto set = [member, form = std::move(form)](Options& options, std::string_view text) {
    auto value = form.parse(text);
    if (!value) return false;
    std::vector<Item>& items = options.*member;
    if constexpr (std::convertible_to<decltype(*std::move(value)), Item>) {
      items.push_back(*std::move(value));
    } else {
      items.insert(items.end(), value->begin(), value->end());
    }
    return true;
  };
  return {.form = std::move(texts), .set = set, .repeats = true};
}

// A switch that makes the program do only what it requests, then exit.
template <class Options>
FlagValue<Options> ends_program() {
  return {.form = {"", "", "given without a value"},
          .set = [](Options&, std::string_view) { return true; },
          .ends_program = true};
}

template <class Options>
struct Flag {
  std::string_view name;  // without the two hyphens
  FlagValue<Options> value;
  std::string_view default_value;  // as typed; empty: not set
  std::string_view help;           // sentences, without default and bounds
  char letter = '\0';              // as in FlagText
  std::string_view also = {};      // as in FlagText

  FlagText text() const {
    return {name, value.form, default_value, help, value.ends_program, letter, also, value.repeats};
  }
};

// The same flags for a derived options type.
template <class Options, class Base>
  requires std::derived_from<Options, Base>
std::vector<Flag<Options>> flags_of(const std::vector<Flag<Base>>& flags) {
  std::vector<Flag<Options>> all;
  all.reserve(flags.size());
  for (const Flag<Base>& flag : flags) {
    const FlagValue<Base>& value = flag.value;
    all.push_back({flag.name,
                   {value.form, value.set, value.repeats, value.ends_program},
                   flag.default_value,
                   flag.help,
                   flag.letter,
                   flag.also});
  }
  return all;
}

template <class Options>
struct FlagGroup {
  std::string_view title;
  std::vector<Flag<Options>> flags;
};

// Immutable; any thread.
template <class Options>
class FlagTable {
 public:
  // Validates several flags together: returns the error without the program's name, or nullopt. It
  // may also set options that depend on which flags were given.
  using Check = std::optional<std::string> (*)(Options&, const ParsedFlags&);

  FlagTable(const ProgramTexts& program, const std::vector<FlagGroup<Options>>& groups,
            Check together = nullptr)
      : page_{program, {}}, check_(together) {
    for (const FlagGroup<Options>& group : groups) {
      FlagSection& section = page_.sections.emplace_back(FlagSection{group.title, {}});
      for (const Flag<Options>& flag : group.flags) {
        section.flags.push_back(flag.text());
        setters_.push_back(flag.value.set);
      }
    }
    if (!has_help()) page_.sections.push_back(information_section());
  }

  const FlagPage& page() const { return page_; }

  // The default of every flag. A repeatable flag starts empty: the program decides what that means.
  Options defaults() const {
    Options options;
    std::size_t index = 0;
    for (const FlagSection& section : page_.sections) {
      for (const FlagText& flag : section.flags) {
        if (!flag.default_value.empty() && !flag.repeats) {
          [[maybe_unused]] const bool fits = set(index, flag.default_value, options);
          assert(fits);
        }
        ++index;
      }
    }
    return options;
  }

  // Returns false, without changes, if the row does not accept the text. `index` counts through all
  // sections, except that of information_section().
  bool set(std::size_t index, std::string_view text, Options& options) const {
    return setters_.at(index)(options, text);
  }

  std::optional<std::string> check(Options& options, const ParsedFlags& given) const {
    return check_ == nullptr ? std::nullopt : check_(options, given);
  }

 private:
  bool has_help() const {
    return !page_.sections.empty() &&
           std::ranges::any_of(page_.sections.back().flags, &FlagText::ends_program);
  }

  FlagPage page_;
  std::vector<std::function<bool(Options&, std::string_view)>> setters_;
  Check check_;
};

}  // namespace dynamo::runtime

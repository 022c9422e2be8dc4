#include "runtime/flags.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "runtime/arguments.hpp"
#include "runtime/build_info.hpp"
#include "runtime/usage_text.hpp"

namespace dynamo::runtime {
namespace {

// Insertions, deletions and replacements between two short words.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

// The flag that was most likely intended; empty if none is similar.
std::string_view nearest_flag(const FlagPage& page, std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 4) + 1;
  for (const FlagSection& section : page.sections) {
    for (const FlagText& flag : section.flags) {
      const std::size_t distance = edit_distance(name, flag.name);
      if (distance >= least) continue;
      least = distance;
      nearest = flag.name;
    }
  }
  return nearest;
}

constexpr std::string_view kAdvice = "--help lists all flags";

std::string no_flag(std::string_view word) {
  return "every argument must be a flag, --flag=value or --flag value; found " + in_quotes(word) +
         "; " + std::string(kAdvice);
}

std::string unknown_flag(const FlagPage& page, std::string_view word) {
  const std::string_view typed = word.substr(0, word.find('='));
  const std::string_view name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
  std::string line = "unknown flag " + in_quotes(typed);
  const std::string_view suggestion = nearest_flag(page, name);
  line += suggestion.empty() ? "; " : "; did you mean " + with_hyphens(suggestion) + "? ";
  return line.append(kAdvice);
}

std::string text_of(const FlagPage& page, const ArgumentMistake& mistake) {
  switch (mistake.kind) {
    case ArgumentMistake::Kind::kUnknownFlag:
      return unknown_flag(page, mistake.word);
    case ArgumentMistake::Kind::kNoFlag:
      return no_flag(mistake.word);
    case ArgumentMistake::Kind::kNoValue:
      return no_value(*mistake.flag);
  }
  return {};
}

std::string version_text(const ProgramTexts& program) {
  return std::string(program.name) + " " + std::string(program_version()) + " (" +
         std::string(program.api_versions) + ")\n";
}

}  // namespace

EarlyExit usage_error(const ProgramTexts& program, std::string_view what) {
  return {2, std::string(program.name).append(": ").append(what).append("\n")};
}

EarlyExit unaccepted(const FlagPage& page, const ParsedFlag& given) {
  const FlagText* const flag = find_flag(page, given.name);
  return usage_error(page.program, flag == nullptr ? "" : bad_value(*flag, given.text));
}

std::variant<ParsedFlags, EarlyExit> read_flags(const FlagPage& page,
                                                std::span<const char* const> arguments) {
  Arguments read = read_arguments(page, arguments, PositionalArguments::kReject);
  if (const FlagText* const last = read.ends_program; last != nullptr) {
    return EarlyExit{0, last->name == "help" ? flags_help(page) : version_text(page.program)};
  }
  if (read.mistake) return usage_error(page.program, text_of(page, *read.mistake));
  return ParsedFlags(std::move(read.flags));
}

FlagSection information_section() {
  return {"Information",
          {{.name = "version",
            .form = {"", "", "given without a value"},
            .default_value = "",
            .help = "Print name, version and API group, and exit.",
            .ends_program = true},
           {.name = "help",
            .form = {"", "", "given without a value"},
            .default_value = "",
            .help = "Print this text and exit; -h does, too.",
            .ends_program = true,
            .letter = 'h'}}};
}

bool ParsedFlags::has(std::string_view name) const {
  return std::ranges::find(flags_, name, &ParsedFlag::name) != flags_.end();
}

}  // namespace dynamo::runtime

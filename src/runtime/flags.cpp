#include "runtime/flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string_view>

#include "runtime/build_info.hpp"
#include "runtime/usage_text.hpp"

namespace dynamo::runtime {
namespace {

// A flag together with what the command line said about it.
struct DescribedFlag {
  const FlagText* text;
  CLI::Option* option;

  bool given() const { return option->count() > 0; }
};

EarlyExit no_value(const FlagPage& page, const FlagText& flag) {
  return usage_error(
      page.program, with_hyphens(flag.name) + " must be " + flag.form.accepts + "; found no value");
}

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

// The flag that was most likely meant; empty when none is near.
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

EarlyExit unknown_argument(const FlagPage& page, std::string_view argument) {
  constexpr std::string_view kAdvice = "--help lists all flags";
  if (!argument.starts_with('-') || argument == "-" || argument == "--") {
    return usage_error(page.program,
                       "every argument must be a flag, --flag=value or --flag value; found " +
                           in_quotes(argument) + "; " + std::string(kAdvice));
  }
  const std::string_view flag = argument.substr(0, argument.find('='));
  const std::string_view name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  std::string line = "unknown flag " + in_quotes(flag);
  const std::string_view meant = nearest_flag(page, name);
  line += meant.empty() ? "; " : "; did you mean " + with_hyphens(meant) + "? ";
  return usage_error(page.program, line.append(kAdvice));
}

const FlagText* find_flag(const FlagPage& page, std::string_view name) {
  for (const FlagSection& section : page.sections) {
    for (const FlagText& flag : section.flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

// CLI11 takes the next argument when a value is missing or empty, even if that is a flag.
const FlagText* flag_without_value(const FlagPage& page, std::span<const char* const> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with("--")) continue;
    const std::size_t equals = argument.find('=');
    const bool attached = equals != std::string_view::npos;
    const FlagText* const flag =
        find_flag(page, argument.substr(2, attached ? equals - 2 : equals));
    if (flag == nullptr) continue;
    if (attached) {
      if (equals + 1 == argument.size()) return flag;
      continue;
    }
    if (!flag->takes_value()) continue;
    if (i + 1 == arguments.size() || std::string_view(arguments[i + 1]).starts_with("--")) {
      return flag;
    }
    ++i;
  }
  return nullptr;
}

std::vector<DescribedFlag> describe_flags(const FlagPage& page, CLI::App& app) {
  app.set_help_flag();
  app.allow_extras();
  std::vector<DescribedFlag> flags;
  for (const FlagSection& section : page.sections) {
    for (const FlagText& flag : section.flags) {
      std::string name = with_hyphens(flag.name);
      if (flag.name == "help") name.insert(0, "-h,");
      CLI::Option* const option = flag.takes_value() ? app.add_option(name) : app.add_flag(name);
      option->take_last();
      flags.push_back({&flag, option});
    }
  }
  return flags;
}

std::string version_text(const ProgramTexts& program) {
  return std::string(program.name) + " " + std::string(program_version()) + " (" +
         std::string(kApiGroupVersion) + ")\n";
}

}  // namespace

EarlyExit usage_error(const ProgramTexts& program, std::string_view what) {
  return {2, std::string(program.name).append(": ").append(what).append("\n")};
}

EarlyExit unaccepted(const FlagPage& page, const GivenFlag& given) {
  const FlagText* const flag = find_flag(page, given.name);
  return usage_error(page.program, with_hyphens(given.name) + " must be " +
                                       (flag == nullptr ? "" : flag->form.accepts) + "; found " +
                                       in_quotes(given.text));
}

std::variant<GivenFlags, EarlyExit> read_flags(const FlagPage& page,
                                               std::span<const char* const> arguments) {
  const FlagText* const incomplete = flag_without_value(page, arguments);

  CLI::App app;
  const std::vector<DescribedFlag> flags = describe_flags(page, app);
  // CLI11 wants them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (incomplete != nullptr) return no_value(page, *incomplete);
    return usage_error(page.program, error.what());
  }
  for (const DescribedFlag& flag : flags) {
    if (!flag.text->ends_program || !flag.given()) continue;
    return EarlyExit{0, flag.text->name == "help" ? flags_help(page) : version_text(page.program)};
  }
  if (incomplete != nullptr) return no_value(page, *incomplete);
  if (const auto extras = app.remaining(); !extras.empty()) {
    return unknown_argument(page, extras.front());
  }

  std::vector<GivenFlag> given;
  for (std::size_t index = 0; index < flags.size(); ++index) {
    if (!flags[index].given()) continue;
    given.push_back({index, flags[index].text->name, flags[index].option->results().back()});
  }
  return GivenFlags(std::move(given));
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
            .ends_program = true}}};
}

bool GivenFlags::has(std::string_view name) const {
  return std::ranges::find(flags_, name, &GivenFlag::name) != flags_.end();
}

}  // namespace dynamo::runtime

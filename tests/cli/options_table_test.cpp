// The table of options, and the help generated from it.
#include "cli/options/options_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.hpp"
#include "tests/cli/command_line.hpp"

namespace dynamo::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

TEST(OptionTable, NamesAndLettersAreUniquePerCommand) {
  for (const cli::CommandRow& command : cli::command_rows()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const cli::OptionRow& row : cli::option_rows()) {
      if (!row.commands.has(command.command)) continue;
      EXPECT_TRUE(names.insert(row.flag.name).second) << command.name << " --" << row.flag.name;
      const char letter = row.flag.letter;
      if (letter != '\0') {
        EXPECT_TRUE(letters.insert(letter).second) << command.name << " -" << letter;
      }
    }
  }
}

TEST(OptionTable, RowsAreFoundByCommand) {
  for (const cli::CommandRow& row : cli::command_rows()) {
    EXPECT_EQ(&cli::row_of(row.command), &row);
    EXPECT_EQ(cli::find_command(row.name), &row);
  }
}

TEST(OptionTable, OptionsHaveFullSentences) {
  for (const cli::OptionRow& row : cli::option_rows()) {
    EXPECT_TRUE(row.flag.help.ends_with('.')) << row.flag.name;
    EXPECT_FALSE(row.form().accepts.empty()) << row.flag.name;
    EXPECT_FALSE(row.group.empty()) << row.flag.name;
  }
}

TEST(OptionTable, ExamplesAreAccepted) {
  for (const cli::CommandRow& command : cli::command_rows()) {
    for (const cli::Example& example : command.examples) {
      // The text after the program's name, up to shell syntax.
      std::string line{example.line};
      for (const std::string_view program : {"kubectl dynamo ", "kubectl-dynamo "}) {
        if (const auto at = line.find(program); at != std::string::npos) {
          line = line.substr(at + program.size());
        }
      }
      line = line.substr(0, line.find_first_of("|>)"));
      std::istringstream stream(line);
      Words words;
      for (std::string word; stream >> word;) words.push_back(word);
      EXPECT_EQ(parsed(words).command, command.command) << example.line;
    }
  }
}

TEST(Help, ListsEveryVisibleCommand) {
  const std::string help = cli::help_text("");
  for (const cli::CommandRow& row : cli::command_rows()) {
    const bool shown = help.find("\n  " + std::string(row.name) + " ") != std::string::npos;
    EXPECT_EQ(shown, !row.hidden) << row.name;
  }
}

TEST(Help, ListsEveryOptionWithItsDefault) {
  for (const cli::CommandRow& command : cli::command_rows()) {
    const std::string help = cli::help_text(command.name);
    EXPECT_THAT(help, StartsWith("kubectl dynamo " + std::string(command.name) + ": "));
    for (const cli::OptionRow& row : cli::option_rows()) {
      if (!row.commands.has(command.command)) continue;
      EXPECT_THAT(help, HasSubstr("--" + std::string(row.flag.name))) << command.name;
      if (!row.flag.default_value.empty()) {
        EXPECT_THAT(help, HasSubstr("(default " + std::string(row.flag.default_value) + ")"));
      }
    }
    for (const cli::Example& example : command.examples) {
      EXPECT_THAT(help, HasSubstr("  " + std::string(example.line) + "\n"));
    }
  }
}

TEST(Help, FitsInOneHundredColumns) {
  for (const cli::CommandRow& command : cli::command_rows()) {
    for (const std::string& help : {cli::help_text(""), cli::help_text(command.name)}) {
      std::istringstream stream(help);
      for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 100U) << line;
    }
  }
}

TEST(Help, ListsTheExitCodes) {
  for (const std::string_view command : {"", "validate", "default", "replay"}) {
    EXPECT_THAT(cli::help_text(command), HasSubstr("\n  2  a mistake in the command line"));
  }
}

TEST(Help, IsEmptyForUnknownCommands) {
  EXPECT_EQ(cli::help_text("nonsense"), "");
}

}  // namespace
}  // namespace dynamo::test

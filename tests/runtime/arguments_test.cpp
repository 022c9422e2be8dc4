#include "runtime/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/flags.hpp"

namespace dynamo::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct ToyOptions {
  std::vector<std::string> files;
  std::vector<std::string> tags;
  std::string colour;
  bool loud = false;
  bool round = false;
};

const FlagTable<ToyOptions>& toy() {
  static const FlagTable<ToyOptions> table(
      {.name = "toy", .purpose = "plays", .examples = {}, .table = "src/toy/table.cpp"},
      {{"What",
        {{"file", each_into(&ToyOptions::files, PathForm{}), "", "A file.", 'f'},
         {"tag", each_into(&ToyOptions::tags, NamesForm{}), "", "Some tags."},
         {"colour", into(&ToyOptions::colour, TextForm{}), "red", "A colour.", 'c', "color"},
         {"loud", into(&ToyOptions::loud, SwitchForm{}), "", "Loud.", 'l'},
         {"round", into(&ToyOptions::round, SwitchForm{}), "", "Round.", 'r'}}}});
  return table;
}

Arguments read(const std::vector<const char*>& words,
               PositionalArguments positional = PositionalArguments::kAccept) {
  return read_arguments(toy().page(), std::span<const char* const>(words), positional);
}

// Name and text of each flag.
std::vector<std::pair<std::string, std::string>> flags(const std::vector<const char*>& words) {
  const Arguments arguments = read(words);
  EXPECT_FALSE(arguments.mistake.has_value());
  std::vector<std::pair<std::string, std::string>> found;
  for (const ParsedFlag& flag : arguments.flags) found.emplace_back(flag.name, flag.text);
  return found;
}

std::string mistake(const std::vector<const char*>& words,
                    PositionalArguments positional = PositionalArguments::kAccept) {
  const Arguments arguments = read(words, positional);
  if (!arguments.mistake) return "none";
  const std::string word(arguments.mistake->word);
  switch (arguments.mistake->kind) {
    case ArgumentMistake::Kind::kUnknownFlag:
      return "unknown " + word;
    case ArgumentMistake::Kind::kNoFlag:
      return "no flag " + word;
    case ArgumentMistake::Kind::kNoValue:
      return "no value " + word + " " + std::string(arguments.mistake->flag->name);
  }
  return "";
}

TEST(Arguments, AllFormsOfFlagsAreParsed) {
  EXPECT_THAT(flags({"--file", "a", "--file=b", "-f", "c", "-fd", "-f=e"}),
              ElementsAre(Pair("file", "a"), Pair("file", "b"), Pair("file", "c"),
                          Pair("file", "d"), Pair("file", "e")));
  EXPECT_THAT(flags({"--color", "blue"}), ElementsAre(Pair("colour", "blue")));
  EXPECT_THAT(flags({"--file=a=b", "--colour=--x"}),
              ElementsAre(Pair("file", "a=b"), Pair("colour", "--x")));
}

TEST(Arguments, SwitchLettersMayBeCombined) {
  EXPECT_THAT(flags({"-lrf", "a"}),
              ElementsAre(Pair("file", "a"), Pair("loud", "true"), Pair("round", "true")));
  EXPECT_THAT(flags({"-lr=false"}), ElementsAre(Pair("loud", "true"), Pair("round", "false")));
}

TEST(Arguments, FlagsHaveTableOrderAndLastWins) {
  EXPECT_THAT(flags({"-l", "-c", "red", "-f", "b", "-c", "blue", "-f", "a", "--loud=false"}),
              ElementsAre(Pair("file", "b"), Pair("file", "a"), Pair("colour", "blue"),
                          Pair("loud", "false")));
}

TEST(Arguments, OtherWordsAreReturnedSeparately) {
  const Arguments arguments = read({"a", "-l", "-", "--", "--file", "--", "b"});
  EXPECT_THAT(arguments.positionals, ElementsAre("a", "-", "--file", "--", "b"));
  EXPECT_EQ(arguments.flags.size(), 1U);
  EXPECT_FALSE(arguments.mistake.has_value());
}

TEST(Arguments, HyphenAndNegativeNumberAreValues) {
  EXPECT_THAT(flags({"-f", "-", "--colour", "-5s"}),
              ElementsAre(Pair("file", "-"), Pair("colour", "-5s")));
  EXPECT_EQ(mistake({"-f", "-l"}), "no value -f file");
  EXPECT_EQ(mistake({"-f", "-x"}), "no value -f file") << "an unknown letter";
  EXPECT_EQ(mistake({"--file", "--"}), "no value --file file");
}

TEST(Arguments, ParsingStopsAtFirstMistake) {
  EXPECT_EQ(mistake({"--nonsense=1", "-f"}), "unknown --nonsense=1");
  EXPECT_EQ(mistake({"-lz"}), "unknown -lz");
  EXPECT_EQ(mistake({"--"}), "none");
  EXPECT_EQ(mistake({"--=x"}), "unknown --=x");
  EXPECT_EQ(mistake({"--file="}), "no value --file= file");
  EXPECT_EQ(mistake({"--loud="}), "no value --loud= loud");
  EXPECT_EQ(mistake({"-c="}), "no value -c= colour");
  EXPECT_EQ(mistake({"-f"}), "no value -f file");
}

TEST(Arguments, OtherWordsAreRefusedWhenNotExpected) {
  EXPECT_EQ(mistake({"-l", "a"}, PositionalArguments::kReject), "no flag a");
  EXPECT_EQ(mistake({"-"}, PositionalArguments::kReject), "no flag -");
  EXPECT_EQ(mistake({"--", "-l"}, PositionalArguments::kReject), "no flag --");
}

TEST(Arguments, HelpTakesPrecedenceOverMistakes) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"--nonsense", "--help"}, {"-f", "-h"}, {"-z", "-lh"}}) {
    const Arguments arguments = read(words);
    ASSERT_NE(arguments.ends_program, nullptr);
    EXPECT_EQ(arguments.ends_program->name, "help");
  }
  EXPECT_EQ(read({"--help", "--version"}).ends_program->name, "version") << "the table's first";
  EXPECT_EQ(read({"--", "--help"}).ends_program, nullptr);
  EXPECT_EQ(mistake({"--help=false"}), "unknown --help=false");
  EXPECT_NE(read({"--help=true"}).ends_program, nullptr);
  EXPECT_EQ(mistake({"-header"}), "unknown -header") << "a hyphen that is missing is no -h";
}

TEST(FlagTable, RepeatedFlagAppendsValues) {
  ToyOptions options = toy().defaults();
  EXPECT_THAT(options.files, IsEmpty());
  EXPECT_TRUE(toy().set(0, "a", options));
  EXPECT_TRUE(toy().set(0, "b", options));
  EXPECT_FALSE(toy().set(0, "", options));
  EXPECT_TRUE(toy().set(1, "x,y", options));
  EXPECT_FALSE(toy().set(1, "z,,", options));
  EXPECT_TRUE(toy().set(1, "z", options));
  EXPECT_THAT(options.files, ElementsAre("a", "b"));
  EXPECT_THAT(options.tags, ElementsAre("x", "y", "z"));
}

TEST(FlagTable, HelpIsBuiltFromRowsOrDefaults) {
  EXPECT_EQ(toy().page().sections.back().title, "Information");
  const FlagTable<ToyOptions> own(
      {.name = "toy", .purpose = "plays", .examples = {}, .table = ""},
      {{"All", {{"help", ends_program<ToyOptions>(), "", "Print this.", 'h'}}}});
  EXPECT_EQ(own.page().sections.size(), 1U);
  EXPECT_EQ(find_flag(own.page(), "version"), nullptr);
}

TEST(RewordedForm, FormParsesLikeItsBase) {
  const RewordedForm form{"PIECES", "as many as there are", CountForm{1, 9}};
  EXPECT_EQ(form.texts().word, "PIECES");
  EXPECT_EQ(form.texts().accepts, "as many as there are");
  EXPECT_EQ(form.texts().bounds, "1 to 9");
  EXPECT_EQ(form.parse("9"), 9U);
  EXPECT_FALSE(form.parse("10"));
}

}  // namespace
}  // namespace dynamo::runtime

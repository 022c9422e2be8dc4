// The flag engine, with the table of a fictitious program.
#include "runtime/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/build_info.hpp"
#include "runtime/log_flags.hpp"
#include "runtime/usage_text.hpp"

namespace dynamo::runtime {
namespace {

using std::chrono_literals::operator""s;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

enum class Speed : unsigned char { kSlow = 7, kFast = 3 };

// An account type of another program, different from the parsed struct.
struct Account {
  std::string space;
  std::string name;
};

struct ToyOptions {
  Address address;
  std::string directory;
  std::vector<std::string> names;
  std::string home;
  std::string label;
  std::string domain;
  std::string version;
  std::optional<Account> owner;
  std::vector<Account> friends;
  std::size_t bytes = 0;
  unsigned threads = 0;
  std::uint16_t small = 0;
  std::chrono::nanoseconds patience{};
  Speed speed{};
  Level level{};
  bool quiet = false;
  std::string shape;
};

// A form that only this program needs.
struct ShapeForm {
  FormTexts texts() const { return {"SHAPE", "3 to 9 corners", "a shape of 3 to 9 corners"}; }
  std::optional<std::string> parse(std::string_view text) const {
    if (text.size() != 1 || text < "3" || text > "9") return std::nullopt;
    return std::string(text) + " corners";
  }
};

constexpr std::array<Choice<Speed>, 2> kSpeeds{{{"fast", Speed::kFast}, {"slow", Speed::kSlow}}};
constexpr std::array<UsageExample, 1> kExamples{{{"the usual way", "toy --threads 2"}}};

std::optional<std::string> check(ToyOptions& options, const ParsedFlags& given) {
  if (options.quiet && !given.has("log-level")) options.level = Level::kError;
  if (options.speed == Speed::kSlow && options.threads > 4) {
    return "--threads must be at most 4 of a slow one; found \"" + std::to_string(options.threads) +
           "\"";
  }
  return std::nullopt;
}

const FlagTable<ToyOptions>& toy() {
  static const FlagTable<ToyOptions> table(
      {.name = "toy", .purpose = "plays", .examples = kExamples, .table = "src/toy/table.cpp"},
      {{"Where",
        {{"address", into(&ToyOptions::address, AddressForm{}), ":80", "Where it listens."},
         {"directory", into(&ToyOptions::directory, PathForm{}), "", "Where it lives."},
         {"names", into(&ToyOptions::names, NamesForm{}), "", "Who it knows."},
         {"home", into(&ToyOptions::home, NamespaceForm{}), "", "Its namespace."},
         {"label", into(&ToyOptions::label, DnsLabelForm{}), "", "Its short name."},
         {"domain", into(&ToyOptions::domain, DnsNameForm{}), "", "Its long name."},
         {"wears", into(&ToyOptions::version, TextForm{}), "", "What it wears."},
         {"owner", into(&ToyOptions::owner, ServiceAccountForm<Account>{}), "", "Whose it is."},
         {"friends", into(&ToyOptions::friends, ServiceAccountsForm<Account>{}), "", "Others."}}},
       {"How",
        {{"bytes", into(&ToyOptions::bytes, SizeForm{1, 1 << 20}), "1KiB", "How large."},
         {"threads", into(&ToyOptions::threads, CountForm{0, 256}), "1", "How many."},
         {"small", into(&ToyOptions::small, CountForm{0, 9}), "", "How few."},
         {"patience", into(&ToyOptions::patience, DurationForm{1s, 60s}), "10s", "How long."},
         {"speed", into(&ToyOptions::speed, ChoiceForm{kSpeeds}), "fast", "How fast it works."},
         {"log-level", into(&ToyOptions::level, ChoiceForm{kLogLevels}), "info", "How loud."},
         {"quiet", into(&ToyOptions::quiet, SwitchForm{}), "false", "Not at all."},
         {"shape", into(&ToyOptions::shape, ShapeForm{}), "4", "Its shape."}}}},
      &check);
  return table;
}

std::variant<ToyOptions, EarlyExit> parse(const std::vector<const char*>& arguments) {
  return parse_flags(toy(), std::span<const char* const>(arguments));
}

ToyOptions options_of(const std::vector<const char*>& arguments) {
  auto parsed = parse(arguments);
  if (const auto* const exit = std::get_if<EarlyExit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return {};
  }
  return std::get<ToyOptions>(std::move(parsed));
}

std::string mistake_of(const std::vector<const char*>& arguments) {
  auto parsed = parse(arguments);
  const auto* const exit = std::get_if<EarlyExit>(&parsed);
  if (exit == nullptr) return "accepted";
  EXPECT_EQ(exit->code, 2);
  return exit->text;
}

TEST(FlagEngine, FillsAnyStructOfOptions) {
  const ToyOptions options = options_of(
      {"--address=127.0.0.1:1", "--directory=/d", "--names=a,b", "--home=h", "--label=l",
       "--domain=a.b", "--wears=1.2", "--owner=x/y", "--friends=system:serviceaccount:p:q,r/s",
       "--bytes=2KiB", "--threads=3", "--small=9", "--patience=2s", "--speed=slow",
       "--log-level=warning", "--quiet", "--shape=5"});
  EXPECT_EQ(options.address, (Address{"127.0.0.1", 1}));
  EXPECT_EQ(options.directory, "/d");
  EXPECT_THAT(options.names, ElementsAre("a", "b"));
  EXPECT_EQ(options.home, "h");
  EXPECT_EQ(options.label, "l");
  EXPECT_EQ(options.domain, "a.b");
  EXPECT_EQ(options.version, "1.2");
  ASSERT_TRUE(options.owner.has_value());
  EXPECT_EQ(options.owner->space + "/" + options.owner->name, "x/y");
  ASSERT_EQ(options.friends.size(), 2U);
  EXPECT_EQ(options.friends[0].space + "/" + options.friends[0].name, "p/q");
  EXPECT_EQ(options.friends[1].space + "/" + options.friends[1].name, "r/s");
  EXPECT_EQ(options.bytes, 2048U);
  EXPECT_EQ(options.threads, 3U);
  EXPECT_EQ(options.small, 9U);
  EXPECT_EQ(options.patience, 2s);
  EXPECT_EQ(options.speed, Speed::kSlow) << "whatever its place in the list";
  EXPECT_EQ(options.level, Level::kWarning);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.shape, "5 corners");
}

TEST(FlagEngine, ReturnsDefaultsOfTable) {
  const ToyOptions options = options_of({});
  EXPECT_EQ(options.address, (Address{"", 80}));
  EXPECT_EQ(options.bytes, 1024U);
  EXPECT_EQ(options.threads, 1U);
  EXPECT_EQ(options.patience, 10s);
  EXPECT_EQ(options.speed, Speed::kFast);
  EXPECT_EQ(options.level, Level::kInfo);
  EXPECT_EQ(options.shape, "4 corners");
  EXPECT_FALSE(options.owner.has_value());
}

TEST(FlagEngine, MistakesStartWithProgramName) {
  EXPECT_EQ(mistake_of({"--shape=2"}),
            "toy: --shape must be a shape of 3 to 9 corners; found \"2\"\n");
  EXPECT_EQ(mistake_of({"--shape"}),
            "toy: --shape must be a shape of 3 to 9 corners; found no value\n");
  EXPECT_EQ(mistake_of({"--speed=odd"}), "toy: --speed must be one of fast, slow; found \"odd\"\n");
  EXPECT_EQ(mistake_of({"--small=10"}),
            "toy: --small must be a whole number from 0 to 9; found \"10\"\n");
  EXPECT_EQ(mistake_of({"--tread=1"}),
            "toy: unknown flag \"--tread\"; did you mean --threads? --help lists all flags\n");
  EXPECT_EQ(mistake_of({"--bind-address=:1"}),
            "toy: unknown flag \"--bind-address\"; --help lists all flags\n")
      << "a flag of another program";
}

TEST(FlagEngine, ProgramMayCheckFlagsTogether) {
  EXPECT_EQ(mistake_of({"--speed=slow", "--threads=5"}),
            "toy: --threads must be at most 4 of a slow one; found \"5\"\n");
  EXPECT_EQ(options_of({"--speed=fast", "--threads=5"}).threads, 5U);
}

TEST(FlagEngine, ProgramMaySetDependentOptions) {
  EXPECT_EQ(options_of({"--quiet"}).level, Level::kError);
  EXPECT_EQ(options_of({"--quiet", "--log-level=info"}).level, Level::kInfo);
  EXPECT_EQ(options_of({"--log-level=info"}).level, Level::kInfo);
}

TEST(FlagEngine, HelpNamesProgramVersionAndExamples) {
  auto parsed = parse({"--version"});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_EQ(std::get<EarlyExit>(parsed).code, 0);
  EXPECT_EQ(std::get<EarlyExit>(parsed).text,
            "toy " + std::string(program_version()) + " (nvidia.com/v1alpha1)\n");
  parsed = parse({"--help", "--version"});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_THAT(std::get<EarlyExit>(parsed).text, StartsWith("toy ")) << "the version wins";
  const std::string help = flags_help(toy().page());
  EXPECT_THAT(help, StartsWith("toy " + std::string(program_version()) + ": plays\n"));
  EXPECT_THAT(help,
              HasSubstr("\n  --shape SHAPE  (default 4, 3 to 9 corners)\n      Its shape.\n"));
  EXPECT_THAT(help,
              HasSubstr("\n  --version\n      Print name, version and API group, and exit.\n"));
  EXPECT_THAT(help, HasSubstr("\nExamples:\n  # the usual way\n  toy --threads 2\n"));
  const std::string page = flags_markdown(toy().page());
  EXPECT_THAT(page, StartsWith("# Flags of toy\n"));
  EXPECT_THAT(page, HasSubstr("the table in `src/toy/table.cpp`"));
  EXPECT_THAT(page, HasSubstr("\n| `--shape` | `SHAPE` | `4` | 3 to 9 corners | Its shape. |\n"));
}

TEST(FlagEngine, ExitCodesAreListedInHelpAndPage) {
  static constexpr std::array<ExitCode, 2> kCodes{{{"0", "It is done."}, {"1", "It failed."}}};
  FlagPage page = toy().page();
  EXPECT_EQ(flags_help(page).find("Exit codes"), std::string::npos);
  EXPECT_EQ(flags_markdown(page).find("Exit codes"), std::string::npos);
  page.program.exit_codes = kCodes;
  EXPECT_THAT(flags_help(page),
              HasSubstr("\nExit codes:\n  0\n      It is done.\n  1\n      It failed.\n"));
  EXPECT_THAT(flags_markdown(page), HasSubstr("\n## Exit codes\n\n| code | meaning |\n|---|---|\n"
                                              "| `0` | It is done. |\n"));
}

TEST(AddressClash, RequiresSamePortOnSameInterface) {
  const auto clash = [](const Address& first, const Address& second) {
    return address_clash(std::array{NamedAddress{"one", first}, NamedAddress{"two", second}});
  };
  EXPECT_EQ(clash({"", 80}, {"127.0.0.1", 80}),
            "--two must have another port than --one (:80); found \"127.0.0.1:80\"");
  EXPECT_EQ(clash({"127.0.0.1", 80}, {"127.0.0.2", 80}), std::nullopt);
  EXPECT_EQ(clash({"", 80}, {"", 81}), std::nullopt);
  EXPECT_EQ(clash({"", 0}, {"", 0}), std::nullopt);
}

TEST(WrappedText, WrapsAt100ColumnsAndKeepsParagraphs) {
  std::string out;
  std::string words;
  for (int i = 0; i < 60; ++i) words += "wörd ";
  append_wrapped(out, words + "end\nnew", 6);
  std::istringstream lines(out);
  std::size_t widest = 0;
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) {
    EXPECT_TRUE(line.starts_with("      ") && !line.ends_with(' ')) << line;
    widest = std::max(widest, columns(line));
  }
  EXPECT_EQ(widest, 100U) << "6 and 19 words of 4 columns with 18 blanks between";
  EXPECT_EQ(last, "      new");
}

TEST(WrappedText, ContinuesAfterTextInFirstLine) {
  std::string out = "ID  ";
  append_wrapped_behind(out, std::string(50, 'a') + " " + std::string(60, 'b') + " c", 4);
  EXPECT_EQ(out, "ID  " + std::string(50, 'a') + "\n    " + std::string(60, 'b') + " c");
  out = "ID  ";
  append_wrapped_behind(out, std::string(120, 'b'), 4);
  EXPECT_EQ(out, "ID  " + std::string(120, 'b')) << "no empty line in front of a long word";
}

TEST(WrappedText, LongWordGetsItsOwnLine) {
  std::string out;
  append_wrapped(out, "a " + std::string(120, 'b') + " c", 2);
  EXPECT_EQ(out, "  a\n  " + std::string(120, 'b') + "\n  c\n");
}

}  // namespace
}  // namespace dynamo::runtime

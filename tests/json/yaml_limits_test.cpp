// Limits on the size of YAML text, and on its expansion by aliases.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "json/yaml.hpp"
#include "tests/json/yaml_texts.hpp"

namespace dynamo::json {
namespace {

std::string block_levels(std::size_t depth) {
  std::string yaml;
  for (std::size_t i = 0; i < depth; ++i) yaml += "- ";
  return yaml + "x\n";
}

std::string flow_levels(std::size_t depth) {
  return std::string(depth, '[') + "x" + std::string(depth, ']');
}

TEST(YamlLimits, EnforceTheDepthLimit) {
  for (const std::size_t limit : {1U, 5U, 128U, 256U}) {
    const YamlOptions options{.max_depth = limit};
    const std::string reason = ": nested deeper than " + std::to_string(limit) + " levels";
    EXPECT_EQ(read_all(block_levels(limit), options)[0].front(), '[');
    EXPECT_EQ(read_all(flow_levels(limit), options)[0].front(), '[');
    EXPECT_EQ(read_all(block_levels(limit + 1), options),
              Texts{"line 1, column " + std::to_string(2 * limit + 1) + reason});
    EXPECT_EQ(read_all(flow_levels(limit + 1), options),
              Texts{"line 1, column " + std::to_string(limit + 1) + reason});
  }
}

TEST(YamlLimits, DepthLimitIsCapped) {
  EXPECT_EQ(read_all(block_levels(300), {.max_depth = 100'000}),
            Texts{"line 1, column 513: nested deeper than 256 levels"});
}

TEST(YamlLimits, RefuseAHundredThousandLevels) {
  const std::string reason = "nested deeper than 128 levels";
  for (const std::string_view level :
       {"- ", "[", "{a: ", "? ", "[? ", "&a [", "!t {a: ", "[{a: "}) {
    std::string yaml;
    for (int i = 0; i < 100'000; ++i) yaml += level;
    const Texts read = read_all(yaml);
    ASSERT_EQ(read.size(), 1U) << level;
    EXPECT_TRUE(read[0].ends_with(reason)) << level << ": " << read[0];
  }
}

TEST(YamlLimits, RefuseAHundredThousandIndentationLevels) {
  std::string yaml;
  for (std::size_t i = 0; i < 2'000; ++i) yaml += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(read_all(yaml), Texts{"line 129, column 129: nested deeper than 128 levels"});
}

TEST(YamlLimits, CountTheDepthOfAliases) {
  const YamlOptions options{.max_depth = 3};
  EXPECT_EQ(read_all("a: &x [1]\nb: [*x]\n", options), Texts{R"({"a":[1],"b":[[1]]})"});
  EXPECT_EQ(read_all("a: &x [[1]]\nb: [*x]\n", options),
            Texts{"line 1, column 8: nested deeper than 3 levels, with aliases expanded"});
}

TEST(YamlLimits, StopAnAliasBomb) {
  std::string yaml = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) yaml += "," + before;
    yaml += "]\n";
  }
  const Texts read = read_all(yaml, {.max_nodes = 10'000});
  ASSERT_EQ(read.size(), 1U);
  EXPECT_TRUE(read[0].ends_with(": more than 10000 values in one document, with aliases expanded"))
      << read[0];
}

// Each alias is one value, but writing the document writes its whole text each time.
TEST(YamlLimits, CountTextRepeatedByAliases) {
  const std::string text(6'400, 'x');
  std::string values;
  for (int i = 0; i < 1'000; ++i) values += "*a,";
  const std::string members = "a: &a {? \"" + text + "\" : 1}\nb: {<<: [" + values + "]}\n";
  for (const std::string& yaml : {"a: &a \"" + text + "\"\nb: [" + values + "]\n",
                                  "a: &a '" + text + "'\nb: [" + values + "]\n",
                                  "a: &a [\"" + text + "\"]\nb: [" + values + "]\n", members}) {
    const Texts read = read_all(yaml, {.max_nodes = 10'000});
    ASSERT_EQ(read.size(), 1U);
    EXPECT_TRUE(
        read[0].ends_with(": more than 10000 values in one document, with aliases expanded"))
        << read[0].substr(0, 100);
  }
  EXPECT_EQ(read_all("a: &a \"" + text + "\"\nb: [*a, *a]\n", {.max_nodes = 1'000}).front().front(),
            '{');
}

TEST(YamlLimits, StopAMergeBombWithoutMembers) {
  // Each mapping merges the previous one twice, in a list or with two keys.
  for (const bool list : {true, false}) {
    std::string yaml = "a0: &a0 {}\n";
    for (int i = 1; i < 30; ++i) {
      const std::string name = "a" + std::to_string(i);
      const std::string before = "*a" + std::to_string(i - 1);
      yaml.append(name).append(": &").append(name).append(list ? " {<<: [" : " {<<: ");
      yaml.append(before)
          .append(list ? ", " : ", <<: ")
          .append(before)
          .append(list ? "]}\n" : "}\n");
    }
    const Texts read = read_all(yaml, {.max_nodes = 10'000});
    ASSERT_EQ(read.size(), 1U);
    EXPECT_TRUE(
        read[0].ends_with(": more than 10000 values in one document, with aliases expanded"))
        << read[0];
  }
}

TEST(YamlLimits, StopAMergeChainBeforeStackOverflow) {
  std::string yaml = "a0: &a0 {}\n";
  for (int i = 1; i < 100'000; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "a" + std::to_string(i - 1);
    yaml.append(name).append(": &").append(name).append(" {<<: *").append(before).append("}\n");
  }
  const Texts read = read_all(yaml);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_TRUE(read[0].ends_with(": nested deeper than 128 levels, with aliases expanded"))
      << read[0];
}

TEST(YamlLimits, CountValuesAndKeysExactly) {
  // Root, two keys, two values.
  EXPECT_EQ(read_all("a: 1\nb: 2\n", {.max_nodes = 5}), Texts{R"({"a":1,"b":2})"});
  EXPECT_EQ(read_all("a: 1\nb: 2\n", {.max_nodes = 4}),
            Texts{"line 2, column 4: more than 4 values in one document"});
  EXPECT_EQ(read_all("a: &x 1\nb: *x\n", {.max_nodes = 5}), Texts{R"({"a":1,"b":1})"});
}

// An alias of a text costs a value for each 64 bytes: in all 25.
TEST(YamlLimits, CountTextOfLastAliasExactly) {
  const std::string yaml = "a: &a " + std::string(640, 'x') + "\nb: *a\n";
  EXPECT_EQ(read_all(yaml, {.max_nodes = 26})[0].front(), '{');
  EXPECT_EQ(read_all(yaml, {.max_nodes = 25}),
            Texts{"line 2, column 4: more than 25 values in one document, with aliases expanded"});
}

TEST(YamlLimits, ValueLimitIsCapped) {
  std::string yaml = "a: &a " + std::string(std::size_t{1} << 20U, 'x') + "\nb: [";
  for (int i = 0; i < 4'200; ++i) yaml += "*a,";
  yaml += "]\n";
  YamlReader reader(yaml, {.max_nodes = std::size_t{1} << 40U});
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kError);
  EXPECT_EQ(reader.error().reason,
            "more than 67108864 values in one document, with aliases expanded");
}

TEST(YamlLimits, ByteLimitIsCapped) {
  const std::string yaml((std::size_t{64} << 20U) + 1, ' ');
  EXPECT_EQ(read_all(yaml, {.max_bytes = std::size_t{1} << 40U}),
            Texts{"line 1, column 1: the document is longer than 67108864 bytes"});
}

TEST(YamlLimits, CountBytesOfEachDocument) {
  EXPECT_EQ(
      read_all("a: 1\n---\nb: 12\n---\nc: 1\n", {.max_bytes = 9}),
      (Texts{R"({"a":1})", "line 2, column 1: the document is longer than 9 bytes", R"({"c":1})"}));
}

TEST(YamlLimits, ApplyToJsonThatIsNotYaml) {
  EXPECT_EQ(read_all(R"({"a": ["\ud83d\ude00"]})", {.max_depth = 2}),
            Texts{"{\"a\":[\"\U0001F600\"]}"});
  EXPECT_EQ(read_all(R"({"a": ["\ud83d\ude00"]})", {.max_depth = 1}).size(), 1U);
  EXPECT_TRUE(
      read_all(R"({"a": ["\ud83d\ude00"]})", {.max_depth = 1})[0].starts_with("line 1, column "));
  EXPECT_TRUE(
      read_all(R"({"a": ["\ud83d\ude00"]})", {.max_nodes = 3})[0].starts_with("line 1, column "));
}

// yaml-cpp would queue a token for each before it reports the first.
TEST(YamlLimits, StopAtMillionsOfOpenBrackets) {
  for (const char* opener : {"[", "{", "[\n", "[{", "- ["}) {
    std::string yaml = "a: ";
    while (yaml.size() < 7'000'000) yaml += opener;
    const Texts found = read_all(yaml);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].ends_with(": nested deeper than 128 levels")) << opener << found[0];
  }
}

// The error names the bracket beyond 10,000; up to that, it names the 129th level.
TEST(YamlLimits, CountOpenBracketsExactly) {
  for (const std::string_view before : {"",
                                        "a: []\n",
                                        "a: {}\n",
                                        "a: [{}, []]\n",
                                        "a: x]}\n",
                                        "a: [']']\n",
                                        "a: '[ ['\n",
                                        "a: 'it''s'\n",
                                        "a: \"[ [\"\n",
                                        "a: \"\\\" [\"\n",
                                        "a: {b: \"\\\" [\"}\n",
                                        "a: ['\\', ' [']\n",
                                        "a: {'b':'[ ['}\n",
                                        "a: {'[ [': b}\n",
                                        "a: [\"[ [\",'[ [']\n",
                                        "a: [b,'[ [']\n",
                                        "a: it's\n",
                                        "a: x\"y\n",
                                        "a: x[ y{\n",
                                        "a: 1 # [ { '\n",
                                        "a: b#[\n",
                                        "# [ ' \"\n"}) {
    const std::string place = "line " + std::string(before.empty() ? "1" : "2") + ", column ";
    constexpr std::string_view kReason = ": nested deeper than 128 levels";
    const std::string yaml = std::string(before) + "z: ";
    EXPECT_EQ(read_all(yaml + flow_levels(10'001)), Texts{(place + "10004").append(kReason)})
        << before;
    EXPECT_EQ(read_all(yaml + flow_levels(10'000)), Texts{(place + "131").append(kReason)})
        << before;
  }
}

TEST(YamlLimits, CountSpacedBrackets) {
  for (const std::string_view opening : {"[ ", "{ "}) {
    std::string yaml;
    for (int i = 0; i < 10'001; ++i) yaml += opening;
    EXPECT_EQ(read_all(yaml), Texts{"line 1, column 20001: nested deeper than 128 levels"});
  }
}

TEST(YamlLimits, CountBracketBelowComment) {
  EXPECT_EQ(read_all("# c\n" + flow_levels(10'001)),
            Texts{"line 2, column 10001: nested deeper than 128 levels"});
}

TEST(YamlLimits, AllowManyClosedBrackets) {
  std::string yaml;
  for (int i = 0; i < 10'001; ++i) yaml += "- [{}]\n";
  EXPECT_EQ(read_all(yaml)[0].front(), '[');
}

TEST(YamlLimits, IgnoreBracketsInText) {
  std::string yaml = "a: |\n";
  for (int i = 0; i < 20'000; ++i)
    yaml += "  if [ -f x ] && [[ \"$y\" ]]; then z[0]=\"[\"; fi # [[\n";
  EXPECT_EQ(read_all(yaml)[0].front(), '{');
}

TEST(YamlLimits, AllowManyMembers) {
  std::string yaml;
  for (int i = 0; i < 50'000; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  YamlReader reader(yaml);
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  EXPECT_EQ(document.root().size(), 50'000U);
  EXPECT_EQ(read_all(yaml + "k25000: 2\n"), Texts{"line 50001, column 1: the key \"k25000\" occurs "
                                                  "twice in one object, first in line 25001"});
}

}  // namespace
}  // namespace dynamo::json

#include "json/yaml_writer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::json {
namespace {

std::string as_yaml(std::string_view json) {
  const auto parsed = parse_copy(json);
  EXPECT_FALSE(parsed->error) << json;
  std::string yaml;
  append_yaml(yaml, parsed->root());
  return yaml;
}

// The JSON that a reader gets from a YAML text.
std::string read_back(std::string_view yaml) {
  YamlReader reader(yaml);
  Document document;
  switch (reader.next(document)) {
    case YamlReader::ReadResult::kDocument:
      break;
    case YamlReader::ReadResult::kError:
      return reader.error().message();
    case YamlReader::ReadResult::kEnd:
      return "nothing";
  }
  std::string text = to_text(document.root());
  return reader.next(document) == YamlReader::ReadResult::kEnd ? text : text + " and more";
}

struct Row {
  const char* name;
  std::string_view json;
  std::string_view yaml;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

class YamlWriter : public testing::TestWithParam<Row> {};

TEST_P(YamlWriter, WritesLikeKubectlAndRoundTrips) {
  EXPECT_EQ(as_yaml(GetParam().json), GetParam().yaml);
  EXPECT_EQ(read_back(GetParam().yaml), GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    Structure, YamlWriter,
    testing::Values(
        Row{"TimesForReadersThatKnowThem",
            R"({"a":"2026-01-02","b":"1:30","c":"2026-01-02T03:04:05Z","d":"1-2a"})",
            "a: \"2026-01-02\"\nb: \"1:30\"\nc: \"2026-01-02T03:04:05Z\"\nd: 1-2a\n"},
        Row{"TimesWithZones", R"(["2001-12-14t21:59:43.1-05:00","2001-12-14 21:59:43"])",
            "- \"2001-12-14t21:59:43.1-05:00\"\n- \"2001-12-14 21:59:43\"\n"},
        Row{"TimesWithSigns", R"(["-1:30","+12:30:45"])", "- \"-1:30\"\n- \"+12:30:45\"\n"},
        Row{"TextsOfDigitsThatAreNoTimes", R"(["Tz2026-01","T-0","1_0,0","2.5.1"])",
            "- Tz2026-01\n- T-0\n- 1_0,0\n- 2.5.1\n"},
        Row{"Members", R"({"a":1,"b":{"c":"x"}})", "a: 1\nb:\n  c: x\n"},
        Row{"ListsStandAtTheIndentOfTheirKey", R"({"a":["x",1]})", "a:\n- x\n- 1\n"},
        Row{"ObjectsInLists", R"({"a":[{"b":1,"c":[2]},{"d":{}}]})",
            "a:\n- b: 1\n  c:\n  - 2\n- d: {}\n"},
        Row{"ListsInLists", R"([[1,[2]],[3]])", "- - 1\n  - - 2\n- - 3\n"},
        Row{"EmptyContainers", R"({"a":{},"b":[]})", "a: {}\nb: []\n"},
        Row{"Scalars", R"({"a":null,"b":true,"c":-3,"d":1.5})",
            "a: null\nb: true\nc: -3\nd: 1.5\n"},
        Row{"MembersKeepTheirOrder", R"({"b":1,"a":2})", "b: 1\na: 2\n"},
        Row{"ScalarRoot", R"("x")", "x\n"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Texts, YamlWriter,
    testing::Values(
        Row{"Plain", R"({"a":"nvcr.io/nvidia/x:1.0"})", "a: nvcr.io/nvidia/x:1.0\n"},
        Row{"Flags", R"(["--port","-c"])", "- --port\n- -c\n"},
        Row{"LooksLikeANumber", R"(["8000","1e3","0x1F","1_000"])",
            "- \"8000\"\n- \"1e3\"\n- \"0x1F\"\n- \"1_000\"\n"},
        Row{"LooksLikeABoolean", R"(["yes","off","true","Y"])",
            "- \"yes\"\n- \"off\"\n- \"true\"\n- \"Y\"\n"},
        Row{"LooksLikeNull", R"(["","~","null"])", "- \"\"\n- \"~\"\n- \"null\"\n"},
        Row{"KeysAreQuotedAlike", R"({"8000":1,"on":2,"<<":3})",
            "\"8000\": 1\n\"on\": 2\n\"<<\": 3\n"},
        Row{"Indicators", R"(["*a","&a","!a","@a","- a","? a",": a","#a","{a","[a","%a"])",
            "- \"*a\"\n- \"&a\"\n- \"!a\"\n- \"@a\"\n- \"- a\"\n- \"? a\"\n- \": a\"\n- \"#a\"\n"
            "- \"{a\"\n- \"[a\"\n- \"%a\"\n"},
        Row{"ColonsAndHashes", R"(["a: b","a:b","a:","a #b","a#b"])",
            "- \"a: b\"\n- a:b\n- \"a:\"\n- \"a #b\"\n- a#b\n"},
        Row{"Separators", R"(["---","...","--- a"])", "- \"---\"\n- \"...\"\n- \"--- a\"\n"},
        Row{"Blanks", R"([" a","a ","a b"])", "- \" a\"\n- \"a \"\n- a b\n"},
        Row{"Escapes", R"(["a\"b\\","\u0000\t"])", "- a\"b\\\n- \"\\x00\\t\"\n"},
        Row{"OtherWritings", "[\"\u00e9\u4e2d\U0001F600\"]", "- \u00e9\u4e2d\U0001F600\n"},
        Row{"InvisibleMarks", "[\"a\u0085b\uFEFF\u2028\"]", "- \"a\\x85b\\uFEFF\\u2028\"\n"},
        Row{"BidirectionalControls", "[\"a\u202E\u2066\u2069\",\"\u200F\",\"\u061C\u00e9\"]",
            "- \"a\\u202E\\u2066\\u2069\"\n- \"\\u200F\"\n- \"\\u061C\u00e9\"\n"},
        Row{"BlanksOfOtherKinds", "[\"a\u00A0b\u3000\u200B\"]", "- \"a\\xA0b\\u3000\\u200B\"\n"},
        Row{"TagsAboveTheFirstPlane", "[\"a\U000E0041\"]", "- \"a\\U000E0041\"\n"},
        Row{"InvisibleMarksInKeys", "{\"a\u202E\":1}", "\"a\\u202E\": 1\n"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Blocks, YamlWriter,
    testing::Values(Row{"Lines", R"({"a":"x\ny\n"})", "a: |\n  x\n  y\n"},
                    Row{"NoLastLineFeed", R"({"a":"x\ny"})", "a: |-\n  x\n  y\n"},
                    Row{"MoreLineFeeds", R"({"a":"x\n\n\n","b":1})", "a: |+\n  x\n\n\nb: 1\n"},
                    Row{"EmptyLinesInside", R"({"a":"x\n\n  y\n"})", "a: |\n  x\n\n    y\n"},
                    Row{"InAList", R"({"a":["x\ny\n"]})", "a:\n- |\n  x\n  y\n"},
                    Row{"LeadingBlankIsQuoted", R"({"a":" x\ny\n"})", "a: \" x\\ny\\n\"\n"},
                    Row{"LeadingTabIsQuoted", R"({"a":"\tx\ny\n"})", "a: \"\\tx\\ny\\n\"\n"},
                    Row{"OnlyLineFeedsAreQuoted", R"({"a":"\n\n"})", "a: \"\\n\\n\"\n"},
                    Row{"CarriageReturnsAreQuoted", R"({"a":"x\r\ny"})", "a: \"x\\r\\ny\"\n"},
                    Row{"InvisibleMarksAreQuoted", "[\"x\\ny\u202E\\n\"]",
                        "- \"x\\ny\\u202E\\n\"\n"},
                    Row{"KeysAreQuoted", R"({"x\ny":1})", "\"x\\ny\": 1\n"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(YamlWriterTest, LongKeysRoundTrip) {
  const std::string key(2000, 'k');
  for (const std::string_view value :
       {R"(1)", R"("x\ny\n")", R"({"a":1})", R"([1,{"a":2}])", R"({})"}) {
    const std::string json = R"({"a":{")" + key + "\":" + std::string(value) + "},\"b\":[]}";
    EXPECT_EQ(read_back(as_yaml(json)), json);
  }
}

TEST(YamlWriterTest, DepthNeedsNoCallStack) {
  constexpr std::size_t kDepth = 100'000;
  const std::string json = std::string(kDepth, '[') + std::string(kDepth, ']');
  const auto parsed = parse_copy(json, {.max_depth = kDepth});
  std::string yaml;
  append_yaml(yaml, parsed->root());
  EXPECT_EQ(yaml.size(), (kDepth - 1) * 2 + 3);
}

TEST(YamlWriterTest, InvalidUtf8IsReplaced) {
  std::string yaml;
  append_yaml_text(yaml, "a\xFFz");
  EXPECT_EQ(yaml, "\"a\xEF\xBF\xBDz\"");
}

TEST(YamlWriterTest, NumbersKeepTheirValue) {
  for (const std::string_view json :
       {"[0.1,1e+300,1e-07,9223372036854775807,-1,12345678901.5]", "[1.8446744073709552e+19]"}) {
    const std::string back = read_back(as_yaml(json));
    EXPECT_TRUE(equal(parse_copy(back)->root(), parse_copy(json)->root())) << back;
  }
}

}  // namespace
}  // namespace dynamo::json

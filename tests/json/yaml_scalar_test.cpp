// The values of plain and tagged scalars, as kubectl 1.35's YAML reader resolves them: expected
// results were taken from sigs.k8s.io/yaml v1.6.0, value by value.
#include "json/yaml_scalar.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::json {
namespace {

constexpr const char* kRefused = nullptr;

// The only document of the text as JSON, or "error: " and the reason without its location.
std::string read(std::string_view yaml) {
  YamlReader reader(yaml);
  Document document;
  switch (reader.next(document)) {
    case YamlReader::ReadResult::kDocument:
      return to_text(document.root());
    case YamlReader::ReadResult::kError:
      return "error: " + reader.error().reason;
    case YamlReader::ReadResult::kEnd:
      return "nothing";
  }
  return "";
}

struct PlainScalar {
  const char* text;
  const char* as_value;  // JSON
  const char* as_key;
};

constexpr PlainScalar kPlainScalars[] = {
    // clang-format off
    {"y", "true", "true"},
    {"Y", "true", "true"},
    {"n", "false", "false"},
    {"N", "false", "false"},
    {"yes", "true", "true"},
    {"Yes", "true", "true"},
    {"YES", "true", "true"},
    {"yEs", "\"yEs\"", "yEs"},
    {"07", "7", "7"},
    {"08", "8", "8"},
    {"no", "false", "false"},
    {"No", "false", "false"},
    {"NO", "false", "false"},
    {"on", "true", "true"},
    {"On", "true", "true"},
    {"ON", "true", "true"},
    {"off", "false", "false"},
    {"Off", "false", "false"},
    {"OFF", "false", "false"},
    {"oFF", "\"oFF\"", "oFF"},
    {"true", "true", "true"},
    {"True", "true", "true"},
    {"TRUE", "true", "true"},
    {"tRUE", "\"tRUE\"", "tRUE"},
    {"false", "false", "false"},
    {"False", "false", "false"},
    {"FALSE", "false", "false"},
    {"~", "null", kRefused},
    {"null", "null", kRefused},
    {"Null", "null", kRefused},
    {"NULL", "null", kRefused},
    {"nULL", "\"nULL\"", "nULL"},
    {"0", "0", "0"},
    {"-0", "0", "0"},
    {"+0", "0", "0"},
    {"1", "1", "1"},
    {"-1", "-1", "-1"},
    {"+1", "1", "1"},
    {"12", "12", "12"},
    {"007", "7", "7"},
    {"017", "15", "15"},
    {"0o17", "15", "15"},
    {"0O17", "15", "15"},
    {"-017", "-15", "-15"},
    {"+017", "15", "15"},
    {"08", "8", "8"},
    {"09", "9", "9"},
    {"018", "18", "18"},
    {"0.8", "0.8", "0.8"},
    {"00", "0", "0"},
    {"0x1F", "31", "31"},
    {"0X1f", "31", "31"},
    {"0xG", "\"0xG\"", "0xG"},
    {"0x", "\"0x\"", "0x"},
    {"-0x1F", "-31", "-31"},
    {"+0x1F", "31", "31"},
    {"0b101", "5", "5"},
    {"0B101", "5", "5"},
    {"-0b101", "-5", "-5"},
    {"+0b101", "5", "5"},
    {"0b102", "\"0b102\"", "0b102"},
    {"0b", "\"0b\"", "0b"},
    {"1_000", "1000", "1000"},
    {"1__0", "10", "10"},
    {"_1", "\"_1\"", "_1"},
    {"1_", "1", "1"},
    {"0x_1F", "31", "31"},
    {"0b1_0", "2", "2"},
    {"1_000.5", "1000.5", "1000.5"},
    {"0o1_7", "15", "15"},
    {"9223372036854775807", "9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "9223372036854775808", kRefused},
    {"-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
    {"-9223372036854775809", "-9223372036854776000", "-9.223372e+18"},
    {"18446744073709551615", "18446744073709551615", kRefused},
    {"18446744073709551616", "18446744073709552000", "1.8446744e+19"},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615", kRefused},
    {"0x10000000000000000", "\"0x10000000000000000\"", "0x10000000000000000"},
    {"1.0", "1", "1"},
    {"1.", "1", "1"},
    {"1.5", "1.5", "1.5"},
    {".5", "0.5", "0.5"},
    {"-.5", "-0.5", "-0.5"},
    {"+.5", "0.5", "0.5"},
    {".", "\".\"", "."},
    {"-.", "\"-.\"", "-."},
    {"+.", "\"+.\"", "+."},
    {".e1", "\".e1\"", ".e1"},
    {".5e1", "5", "5"},
    {"1.e3", "1000", "1000"},
    {"1e3", "1000", "1000"},
    {"1E3", "1000", "1000"},
    {"1e+3", "1000", "1000"},
    {"1e-3", "0.001", "0.001"},
    {"1e", "\"1e\"", "1e"},
    {"1e+", "\"1e+\"", "1e+"},
    {"1.5e3", "1500", "1500"},
    {"-1.5E-3", "-0.0015", "-0.0015"},
    {"3.0", "3", "3"},
    {"-0.0", "-0", "-0"},
    {"1e20", "100000000000000000000", "1e+20"},
    {"1e21", "1e+21", "1e+21"},
    {"1e22", "1e+22", "1e+22"},
    {"1e400", "\"1e400\"", "1e400"},
    {"-1e400", "\"-1e400\"", "-1e400"},
    {"1e-400", "0", "0"},
    {"0e0", "0", "0"},
    {"1.2.3", "\"1.2.3\"", "1.2.3"},
    {"1-2", "\"1-2\"", "1-2"},
    {"1+2", "\"1+2\"", "1+2"},
    {"+-1", "\"+-1\"", "+-1"},
    {"--1", "\"--1\"", "--1"},
    {"1,000", "\"1,000\"", "1,000"},
    {"1:30", "\"1:30\"", "1:30"},
    {"190:20:30", "\"190:20:30\"", "190:20:30"},
    {"1:30.5", "\"1:30.5\"", "1:30.5"},
    {".inf", kRefused, ".inf"},
    {".Inf", kRefused, ".inf"},
    {".INF", kRefused, ".inf"},
    {"+.inf", kRefused, ".inf"},
    {"-.inf", kRefused, "-.inf"},
    {".nan", kRefused, ".nan"},
    {".NaN", kRefused, ".nan"},
    {".NAN", kRefused, ".nan"},
    {".nAn", "\".nAn\"", ".nAn"},
    {"inf", "\"inf\"", "inf"},
    {"nan", "\"nan\"", "nan"},
    {"Infinity", "\"Infinity\"", "Infinity"},
    {"2001-12-14", "\"2001-12-14\"", "2001-12-14"},
    {"2001-12-14t21:59:43.10-05:00", "\"2001-12-14t21:59:43.10-05:00\"", "2001-12-14t21:59:43.10-05:00"},
    {"2001-12-14T21:59:43Z", "\"2001-12-14T21:59:43Z\"", "2001-12-14T21:59:43Z"},
    {"2001-1-1", "\"2001-1-1\"", "2001-1-1"},
    {"12:30", "\"12:30\"", "12:30"},
    {"=", "\"=\"", "="},
    {"<<", "\"<<\"", kRefused},
    {"hello", "\"hello\"", "hello"},
    {"1a", "\"1a\"", "1a"},
    {"a1", "\"a1\"", "a1"},
    {"0xz", "\"0xz\"", "0xz"},
    {"1.0.0", "\"1.0.0\"", "1.0.0"},
    {"v1.2", "\"v1.2\"", "v1.2"},
    {"100m", "\"100m\"", "100m"},
    {"1Gi", "\"1Gi\"", "1Gi"},
    {"0777", "511", "511"},
    {"0o777", "511", "511"},
    {"0o8", "\"0o8\"", "0o8"},
    {"1e2e3", "\"1e2e3\"", "1e2e3"},
    {"0.1_2", "0.12", "0.12"},
    {"._1", "\"._1\"", "._1"},
    {".1_2", "0.12", "0.12"},
    {".1_2_3", "0.123", "0.123"},
    {".1__2", "\".1__2\"", ".1__2"},
    {".1_e2", "\".1_e2\"", ".1_e2"},
    {".1_2_", "\".1_2_\"", ".1_2_"},
    {".5_", "\".5_\"", ".5_"},
    {"0x1p4", "\"0x1p4\"", "0x1p4"},
    {"0x1.8p1", "\"0x1.8p1\"", "0x1.8p1"},
    {"1_e3", "1000", "1000"},
    {"0b_1", "1", "1"},
    {"00x1", "\"00x1\"", "00x1"},
    {"0_7", "7", "7"},
    {"+0o17", "15", "15"},
    {"-0o17", "-15", "-15"},
    {"1.7976931348623157e308", "1.7976931348623157e+308", ".inf"},
    {"1.8e308", "\"1.8e308\"", "1.8e308"},
    {"5e-324", "5e-324", "0"},
    {"0.1", "0.1", "0.1"},
    {"123456789.125", "123456789.125", "1.2345679e+08"},
    {"0000", "0", "0"},
    {"000.5", "0.5", "0.5"},
    {"1e06", "1000000", "1e+06"},
    {"12e03", "12000", "12000"},
    {"+1.5", "1.5", "1.5"},
    {"+1e3", "1000", "1000"},
    {"-1_0", "-10", "-10"},
    {"0_", "0", "0"},
    {"a", "\"a\"", "a"},
    // clang-format on
};

TEST(PlainScalar, MatchesKubectlAsValue) {
  for (const PlainScalar& row : kPlainScalars) {
    SCOPED_TRACE(row.text);
    YamlReader reader(row.text);
    Document document;
    const auto outcome = reader.next(document);
    if (row.as_value == kRefused) {
      EXPECT_EQ(outcome, YamlReader::ReadResult::kError);
      continue;
    }
    const auto expected = parse_copy(row.as_value);
    ASSERT_FALSE(expected->error);
    if (expected->root().is_nothing()) {
      EXPECT_EQ(outcome, YamlReader::ReadResult::kEnd) << "a document that is null is none";
      continue;
    }
    ASSERT_EQ(outcome, YamlReader::ReadResult::kDocument);
    EXPECT_TRUE(equal(document.root(), expected->root()))
        << to_text(document.root()) << " instead of " << row.as_value;
  }
}

TEST(PlainScalar, MatchesKubectlAsKey) {
  for (const PlainScalar& row : kPlainScalars) {
    SCOPED_TRACE(row.text);
    const std::string text = std::string(row.text) + ": v";
    YamlReader reader(text);
    Document document;
    const auto outcome = reader.next(document);
    if (row.as_key == kRefused) {
      EXPECT_EQ(outcome, YamlReader::ReadResult::kError);
      continue;
    }
    ASSERT_EQ(outcome, YamlReader::ReadResult::kDocument);
    EXPECT_EQ((*document.root().members().begin()).name, row.as_key);
  }
}

TEST(PlainScalar, IntegralFloatBecomesAnInteger) {
  for (const std::string_view text : {"3.0", "1e3", "-0.0", "08", "0x1F", "1_000", "9e18"}) {
    YamlReader reader(text);
    Document document;
    ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
    EXPECT_EQ(document.root().type(), Type::kInteger) << text;
  }
}

TEST(PlainScalar, NonFiniteNumberIsRefused) {
  EXPECT_EQ(read("a: .inf"),
            "error: JSON has no word for the number .inf; write it in quotes if a text is meant");
}

TEST(QuotedScalar, IsAlwaysAString) {
  for (const std::string_view text :
       {"1", "true", "yes", "~", "", "1.5", ".inf", "0x1F", "<<", "null"}) {
    EXPECT_EQ(read("a: '" + std::string(text) + "'"), "{\"a\":\"" + std::string(text) + "\"}");
    EXPECT_EQ(read("a: \"" + std::string(text) + "\""), "{\"a\":\"" + std::string(text) + "\"}");
  }
  EXPECT_EQ(read("a: |\n  12\n"), R"({"a":"12\n"})");
  EXPECT_EQ(read("a: >-\n  yes\n"), R"({"a":"yes"})");
}

TEST(QuotedScalar, IsUnescaped) {
  EXPECT_EQ(read(R"(a: "a\tb\u00e9\x41\e\0\U0001F600")"),
            "{\"a\":\"a\\tb\u00e9A\\u001b\\u0000\U0001F600\"}");
  EXPECT_EQ(read(R"(a: "\N\_\L\P")"), "{\"a\":\"\u0085\u00A0\u2028\u2029\"}");
  EXPECT_EQ(read("a: \"\u00e9\\_\u00e9\\N\""), "{\"a\":\"\u00e9\u00A0\u00e9\u0085\"}");
  EXPECT_EQ(read("a: 'it''s \\n'"), R"({"a":"it's \\n"})");
}

struct TaggedScalar {
  const char* text;
  const char* json;
};

TEST(TaggedScalar, FollowsItsTag) {
  for (const TaggedScalar& row : {
           TaggedScalar{"!!str 1", R"("1")"},
           {"!!str true", R"("true")"},
           {"!!str ~", R"("~")"},
           {"!!str", R"("")"},
           {"!<tag:yaml.org,2002:str> 1", R"("1")"},
           {"! 12", R"("12")"},
           {"! true", R"("true")"},
           {"!", R"("")"},
           {"!custom 12", R"("12")"},
           {"!!foo 12", R"("12")"},
           {"!!int 3", "3"},
           {"!!int '3'", "3"},
           {"!!int \"0x10\"", "16"},
           {"!<tag:yaml.org,2002:int> '1'", "1"},
           {"!!float 3", "3"},
           {"!!float '3'", "3"},
           {"!!float 0x10", "16"},
           {"!!float 1.5", "1.5"},
           {"!!bool yes", "true"},
           {"!!bool 'yes'", "true"},
           {"!!null ''", "null"},
           {"!!null ~", "null"},
           {"!!null", "null"},
           {"!!timestamp 2001-12-14", R"("2001-12-14")"},
           {"!!merge x", R"("x")"},
           {"!!map x", R"("x")"},
           {"!!binary aGVsbG8=", R"("hello")"},
           {"!!binary |\n  aGVs\n  bG8=\n", R"("hello")"},
           {"!!binary ''", R"("")"},
           {"!!binary Zg==", R"("f")"},
           {"!!binary Zm8=", R"("fo")"},
       }) {
    EXPECT_EQ(read("a: " + std::string(row.text)), "{\"a\":" + std::string(row.json) + "}")
        << row.text;
  }
}

TEST(TaggedScalar, MismatchedTagIsRefused) {
  for (const TaggedScalar& row : {TaggedScalar{"!!int 3.0", "!!int"},
                                  {"!!int x", "!!int"},
                                  {"!!int", "!!int"},
                                  {"!!int |\n  12\n", "!!int"},
                                  {"!!float x", "!!float"},
                                  {"!!float ''", "!!float"},
                                  {"!!float yes", "!!float"},
                                  {"!!bool 1", "!!bool"},
                                  {"!!bool x", "!!bool"},
                                  {"!!bool", "!!bool"},
                                  {"!!null x", "!!null"},
                                  {"!!null 0", "!!null"}}) {
    EXPECT_EQ(read("a: " + std::string(row.text)),
              "error: the value is tagged " + std::string(row.json) + " but does not look like one")
        << row.text;
  }
}

TEST(TaggedScalar, TimestampHasFormOfTime) {
  for (const std::string_view text :
       {"2001-12-14", "2001-1-2", "2001-12-14 21:59:43", "2001-12-14 1:2:3",
        "2001-12-14 21:59:43.123456789", "2001-12-14T21:59:43Z", "2001-12-14t1:2:3Z",
        "2001-12-14T21:59:43.5Z", "2001-12-14T21:59:43+05:30", "2001-12-14T21:59:43.25-05:00"}) {
    const std::string quoted = "'" + std::string(text) + "'";
    EXPECT_EQ(read("a: !!timestamp " + quoted), "{\"a\":\"" + std::string(text) + "\"}");
  }
}

TEST(TaggedScalar, OtherTimestampsAreRefused) {
  for (const std::string_view text : {"",
                                      "now",
                                      "201-12-14",
                                      "20011-2-3",
                                      "2001/12-14",
                                      "2001-12",
                                      "2001--14",
                                      "2001-123-1",
                                      "2001-12/14",
                                      "2001-12-",
                                      "2001-12-145",
                                      "2001-12-14x",
                                      "2001-12-14 ",
                                      "2001-12-14x21:59:43Z",
                                      "2001-12-14 :59:43",
                                      "2001-12-14 215:59:43",
                                      "2001-12-14 21-59:43",
                                      "2001-12-14 21::43",
                                      "2001-12-14 21:595:43",
                                      "2001-12-14 21:59",
                                      "2001-12-14 21:59-43",
                                      "2001-12-14 21:59:",
                                      "2001-12-14 21:59:431",
                                      "2001-12-14T21:59:431Z",
                                      "2001-12-14 21:59:43x",
                                      "2001-12-14 21:59:43.",
                                      "2001-12-14 21:59:43.x",
                                      "2001-12-14 21:59:43Z",
                                      "2001-12-14T21:59:43",
                                      "2001-12-14T21:59:43.Z",
                                      "2001-12-14T21:59:43Zx",
                                      "2001-12-14T21:59:43*05:00",
                                      "2001-12-14T21:59:4305:00",
                                      "2001-12-14T21:59:43+5:00",
                                      "2001-12-14T21:59:43+055:00",
                                      "2001-12-14T21:59:43+05-00",
                                      "2001-12-14T21:59:43+05:0",
                                      "2001-12-14T21:59:43+05:001",
                                      "2001-12-14T21:59:43+05:00x"}) {
    EXPECT_EQ(read("a: !!timestamp '" + std::string(text) + "'"),
              "error: the value is tagged !!timestamp but does not look like one")
        << text;
  }
}

TEST(TaggedScalar, InvalidBase64IsRefused) {
  for (const std::string_view text :
       {"'aGVs bG8='", "'*'", "Zg", "Zg=", "Zg===", "Z", "=", "Zg==Zg==", "Zm9v="}) {
    EXPECT_EQ(read("a: !!binary " + std::string(text)),
              "error: a !!binary value must be base64 with padding")
        << text;
  }
}

TEST(TaggedScalar, NonUtf8BinaryUsesReplacementCharacters) {
  EXPECT_EQ(read("a: !!binary /w=="), "{\"a\":\"\uFFFD\"}");
  EXPECT_EQ(read("a: !!binary YcP/w6n/eg=="), "{\"a\":\"a\uFFFD\uFFFD\u00e9\uFFFDz\"}");
}

TEST(TaggedContainer, KeepsItsStructure) {
  EXPECT_EQ(read("a: !custom {b: 1}"), R"({"a":{"b":1}})");
  EXPECT_EQ(read("a: !!int [1]"), R"({"a":[1]})");
  EXPECT_EQ(read("a: !!set {b, c}"), R"({"a":{"b":null,"c":null}})");
  EXPECT_EQ(read("a: !!omap [b: 1]"), R"({"a":[{"b":1}]})");
}

}  // namespace
}  // namespace dynamo::json

#include "json/writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "json/parser.hpp"

namespace dynamo::json {
namespace {

using namespace std::string_literals;

std::string quote(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

TEST(Quoted, EscapesOnlyRequiredCharacters) {
  EXPECT_EQ(quote(""), R"("")");
  EXPECT_EQ(quote("a/b<>&'"), R"("a/b<>&'")");
  EXPECT_EQ(quote("\"\\"), R"("\"\\")");
  EXPECT_EQ(quote("\n\r\t"), R"("\n\r\t")");
  EXPECT_EQ(quote("a\0b"s), R"("a\u0000b")");
  EXPECT_EQ(quote("\b\f\x1F\x7F"), "\"\\u0008\\u000c\\u001f\x7F\"");
  EXPECT_EQ(quote("\u00e9\U0001F600"), "\"\u00e9\U0001F600\"");
}

TEST(Quoted, RoundTripsEveryCharacter) {
  for (int c = 0; c < 0x80; ++c) {
    const std::string text = "a" + std::string(1, static_cast<char>(c)) + "b";
    ASSERT_EQ(parse_copy(quote(text))->root().string(), text) << c;
  }
}

// Texts are scanned in blocks, and the last ones overlap.
TEST(Quoted, EscapesAtEveryOffsetAndLength) {
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = '"';
      std::string quoted(length, 'x');
      quoted.replace(at, 1, "\\\"");
      ASSERT_EQ(quote(text), '"' + quoted + '"') << length << ' ' << at;
      text[at] = '\xFF';
      ASSERT_EQ(quote(text).find("\uFFFD"), at + 1) << length << ' ' << at;
    }
  }
}

TEST(Quoted, ReplacesInvalidUtf8) {
  EXPECT_EQ(quote("a\xFFz"), "\"a\uFFFDz\"");
  EXPECT_EQ(quote("\xFF\xFE"), "\"\uFFFD\uFFFD\"");
  EXPECT_EQ(quote("\xC3"), "\"\uFFFD\"");
  EXPECT_EQ(quote("\x80"), "\"\uFFFD\"");
  EXPECT_EQ(quote("\x80\"\xC3\xA9\n"), "\"\uFFFD\\\"\u00e9\\n\"");
}

TEST(Writer, WritesCommasOnlyBetweenValues) {
  std::string out;
  Writer writer(out);
  writer.start_object();
  writer.member("a", "b");
  writer.key("c").start_array().end_array();
  writer.key("d").start_array().integer(1).null().boolean(true).start_object().end_object();
  writer.end_array();
  writer.key("e").raw("[1, 2]");
  writer.key("f").start_object().key("g").number(0.5).end_object();
  writer.end_object();
  EXPECT_EQ(out, R"({"a":"b","c":[],"d":[1,null,true,{}],"e":[1, 2],"f":{"g":0.5}})");
}

TEST(Writer, AppendsToTheBuffer) {
  std::string out = "x=";
  Writer(out).boolean(false);
  EXPECT_EQ(out, "x=false");
}

TEST(Writer, WritesExtremeIntegers) {
  std::string out;
  Writer(out).start_array().integer(INT64_MIN).integer(INT64_MAX).integer(0).end_array();
  EXPECT_EQ(out, "[-9223372036854775808,9223372036854775807,0]");
}

TEST(Writer, WritesTheShortestExactNumber) {
  for (const double value : {0.1, -1.5, 1e300, 5e-324, std::numeric_limits<double>::max(), 1.0 / 3,
                             0x1p63, 123456789.125, -0.0}) {
    std::string out;
    Writer(out).number(value);
    const auto parsed = parse_copy(out);
    ASSERT_FALSE(parsed->error) << out;
    EXPECT_EQ(parsed->root().number(), value) << out;
  }
}

TEST(Writer, WritesNullForNonFiniteNumbers) {
  for (const double value : {static_cast<double>(NAN), HUGE_VAL, -HUGE_VAL}) {
    std::string out;
    Writer(out).number(value);
    EXPECT_EQ(out, "null");
  }
}

TEST(ToText, RoundTripsParsedText) {
  for (const std::string_view text :
       {"null", "true", "[]", "{}", R"([[],{},[{}],{"a":[]}])",
        R"({"a":{"b":{"c":[1,2,{"d":"e"}]}},"f":-7})", R"(["",{"":""}])",
        R"([1,"a\"\\\n",0.5,9223372036854775807])", R"({"a":1,"a":2})"}) {
    EXPECT_EQ(to_text(parse_copy(text)->root()), text);
  }
}

TEST(ToText, IsEmptyForAnAbsentValue) {
  EXPECT_EQ(to_text(Value{}), "");
}

TEST(ToText, DepthNeedsNoCallStack) {
  const std::string text = std::string(200'000, '[') + std::string(200'000, ']');
  const auto parsed = parse_copy(text, {.max_depth = 200'000});
  ASSERT_FALSE(parsed->error);
  EXPECT_EQ(to_text(parsed->root()), text);
}

TEST(Writer, WritesNullForAnAbsentValueBetweenOthers) {
  std::string out;
  Writer(out).start_array().value(Value{}).value(parse_copy("[1]")->root()).end_array();
  EXPECT_EQ(out, "[null,[1]]");
}

}  // namespace
}  // namespace dynamo::json

#include "runtime/log_format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace dynamo::runtime {
namespace {

using std::string_view_literals::operator""sv;

// 2026-02-03T04:05:06.007Z
const auto kTime =
    std::chrono::system_clock::from_time_t(1'770'091'506) + std::chrono::milliseconds(7);

std::string json_line(std::string_view message, std::initializer_list<Field> fields = {}) {
  std::string line;
  append_json_line(line, kTime, Level::kInfo, message, std::span(fields.begin(), fields.size()));
  return line;
}

std::string json_fields(std::initializer_list<Field> fields) {
  std::string text;
  append_json_fields(text, std::span(fields.begin(), fields.size()));
  return text;
}

std::string text_line(Level level, std::initializer_list<Field> fields, bool colour = false) {
  std::string line;
  append_text_line(line, kTime, level, "message", std::span(fields.begin(), fields.size()), colour);
  return line;
}

TEST(JsonLine, HasTimeLevelMessageAndFieldsInOrder) {
  EXPECT_EQ(json_line("request denied", {{"uid", "abc"}, {"causes", 2}, {"dryRun", true}}),
            "{\"time\":\"2026-02-03T04:05:06.007Z\",\"level\":\"info\",\"message\":\"request "
            "denied\",\"uid\":\"abc\",\"causes\":2,\"dryRun\":true}\n");
}

TEST(JsonLine, HasNoTrailingCommaWithoutFields) {
  EXPECT_EQ(json_line("started"),
            "{\"time\":\"2026-02-03T04:05:06.007Z\",\"level\":\"info\",\"message\":\"started\"}\n");
}

TEST(JsonLine, NamesEachLevel) {
  EXPECT_EQ(to_string(Level::kDebug), "debug");
  EXPECT_EQ(to_string(Level::kInfo), "info");
  EXPECT_EQ(to_string(Level::kWarning), "warning");
  EXPECT_EQ(to_string(Level::kError), "error");
}

TEST(JsonField, WritesEachKindOfValue) {
  const std::array<std::string_view, 2> rules{"dgd.services.required", "dgd.\"pvc\".name"};
  EXPECT_EQ(json_fields({{"rules", std::span<const std::string_view>(rules)}}),
            R"("rules":["dgd.services.required","dgd.\"pvc\".name"])");
  EXPECT_EQ(json_fields({{"none", std::span<const std::string_view>()}}), R"("none":[])");
  EXPECT_EQ(json_fields({{"a", 1.5}, {"b", -3}, {"c", false}, {"d", ""}}),
            R"("a":1.5,"b":-3,"c":false,"d":"")");
  EXPECT_EQ(json_fields({{"text", std::string("owned")}}), R"("text":"owned")");
}

TEST(JsonField, WritesIntegersToTheLimitsOfTheirRange) {
  EXPECT_EQ(json_fields({{"least", std::numeric_limits<std::int64_t>::min()}}),
            R"("least":-9223372036854775808)");
  EXPECT_EQ(json_fields({{"most", std::numeric_limits<std::uint64_t>::max()}}),
            R"("most":9223372036854775807)");
}

TEST(JsonField, UnrepresentableNumbersAreNull) {
  EXPECT_EQ(json_fields({{"a", std::nan("")}, {"b", HUGE_VAL}, {"c", -HUGE_VAL}}),
            R"("a":null,"b":null,"c":null)");
}

TEST(JsonField, ItemsBeyondLimitAreCounted) {
  const std::vector<std::string_view> many(kMaxLogListItems + 3, "x");
  const std::string text = json_fields({{"many", std::span<const std::string_view>(many)}});
  EXPECT_TRUE(text.ends_with(",\"x\",\"…3 more\"]")) << text;
  const std::vector<std::string_view> just(kMaxLogListItems, "x");
  EXPECT_TRUE(json_fields({{"just", std::span<const std::string_view>(just)}}).ends_with("\"x\"]"));
}

TEST(JsonString, EscapesForbiddenAndReplacesInvalidCharacters) {
  const struct {
    std::string_view text;
    std::string_view expected;
  } rows[] = {
      {"plain", "\"plain\""},
      {"\"\\\n\r\t", "\"\\\"\\\\\\n\\r\\t\""},
      {"\0\x01\x1F\x7F"sv, "\"\\u0000\\u0001\\u001f\\u007f\""},
      {"/", "\"/\""},
      {"\xC2\x80\xC2\x9B"
       "2J\xC2\x9F\xC2\xA0",
       "\"\\u0080\\u009b2J\\u009f\\u00a0\""},
      {"a\u202Eb\u200B\u2028", R"("a\u202eb\u200b\u2028")"},
      {"\U000E0041", R"("\udb40\udc41")"},
      {"\xC3\xA4", "\"\xC3\xA4\""},
      {"\xE2\x82\xAC", "\"\xE2\x82\xAC\""},
      {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
      {"\xF4\x8F\xBF\xBD", "\"\xF4\x8F\xBF\xBD\""},
      {"\xF4\x8F\xBF\xBF", R"("\udbff\udfff")"},                     // a noncharacter
      {"\x80", "\"\xEF\xBF\xBD\""},                                  // continuation byte alone
      {"a\xC3", "\"a\xEF\xBF\xBD\""},                                // truncated
      {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                  // truncated
      {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                  // overlong
      {"\xE0\x9F\xBF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},  // overlong
      {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},  // surrogate
      {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},  // > U+10FFFF
      {"\xFF\"", "\"\xEF\xBF\xBD\\\"\""},
  };
  for (const auto& row : rows) {
    std::string written;
    append_json_string(written, row.text);
    EXPECT_EQ(written, row.expected);
  }
}

TEST(JsonLine, LongTextsAreCutBetweenCharacters) {
  const std::string just(kMaxLogTextBytes, 'x');
  EXPECT_EQ(json_fields({{"t", just}}), "\"t\":\"" + just + "\"");
  EXPECT_EQ(json_fields({{"t", just + "y"}}), "\"t\":\"" + just + "…\"");
  const std::string split = std::string(kMaxLogTextBytes - 1, 'x') + "\xE2\x82\xAC";
  EXPECT_EQ(json_fields({{"t", split}}),
            "\"t\":\"" + std::string(kMaxLogTextBytes - 1, 'x') + "…\"");
}

TEST(JsonLine, AnyMessageStaysOneLine) {
  const std::string line = json_line("a\nb", {{"na\nme", "v\r\n"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Rfc3339, IsUtcWithMilliseconds) {
  const struct {
    std::int64_t milliseconds;
    std::string_view expected;
  } rows[] = {
      {0, "1970-01-01T00:00:00.000Z"},
      {-1, "1969-12-31T23:59:59.999Z"},
      {951'827'696'789, "2000-02-29T12:34:56.789Z"},
      {4'102'444'799'999, "2099-12-31T23:59:59.999Z"},
  };
  for (const auto& row : rows) {
    std::string text;
    append_rfc3339(
        text, std::chrono::system_clock::time_point(std::chrono::milliseconds(row.milliseconds)));
    EXPECT_EQ(text, row.expected);
  }
}

TEST(TextLine, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(text_line(Level::kWarning, {{"uid", "abc"}, {"name", "a b"}, {"empty", ""}, {"n", 3}}),
            "2026-02-03T04:05:06.007Z WARNING message uid=abc name=\"a b\" empty=\"\" n=3\n");
  EXPECT_EQ(text_line(Level::kInfo, {{"v", "a=b"}, {"w", "\x1b[31m"}}),
            "2026-02-03T04:05:06.007Z INFO    message v=\"a=b\" w=\"\\u001b[31m\"\n");
}

TEST(TextLine, ColoursLevelOnlyWhenEnabled) {
  EXPECT_EQ(text_line(Level::kError, {}, true),
            "2026-02-03T04:05:06.007Z \x1b[31mERROR  \x1b[0m message\n");
  EXPECT_EQ(text_line(Level::kError, {}), "2026-02-03T04:05:06.007Z ERROR   message\n");
}

TEST(CutUtf8, NeverSplitsCharacter) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abc", 2), "ab");
  EXPECT_EQ(cut_utf8("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(cut_utf8("a\xE2\x82\xAC"
                     "b",
                     4),
            "a\xE2\x82\xAC");
  EXPECT_EQ(cut_utf8("", 0), "");
  EXPECT_EQ(cut_utf8("\x80\x80\x80\x80\x80\x80", 5), "\x80\x80");  // not UTF-8: cut anyway
}

}  // namespace
}  // namespace dynamo::runtime

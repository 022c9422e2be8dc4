// Messages for mistakes in YAML: they name the line to fix.
#include "json/yaml_mistake.hpp"

#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "json/yaml.hpp"

namespace dynamo::json {
namespace {

std::string mistake_of(std::string_view text) {
  YamlReader reader(text);
  Document document;
  if (reader.next(document) != YamlReader::ReadResult::kError) return "none";
  const std::string& reason = reader.error().reason;
  return reason.find("not closed:") == std::string::npos ? reason : reader.error().message();
}

struct Case {
  std::string_view name;
  std::string_view text;
  std::string_view reason;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

class Brackets : public testing::TestWithParam<Case> {};

TEST_P(Brackets, NameTheLineToFix) {
  EXPECT_EQ(mistake_of(GetParam().text), GetParam().reason) << GetParam().text;
}

constexpr auto kCases = std::to_array<Case>({
    {"a_map", "a:\n  b: 1\n  c: {d: 1,\ne: 2\n",
     "line 3, column 6: this map is not closed: `{` of line 3"},
    {"a_last_line_without_an_end", "a: 1\nb: {c: {d: 1",
     "line 2, column 8: this map is not closed: `{` of line 2"},
    {"blank_lines_behind_it", "a: {\n\n\n",
     "line 1, column 4: this map is not closed: `{` of line 1"},
    {"a_list", "a: [1, 2\nb: 3\n", "line 1, column 4: this list is not closed: `[` of line 1"},
    {"the_inner_one", "a: [{b: 1, c: 2\nd: 3\n",
     "line 1, column 5: this map is not closed: `{` of line 1"},
    {"one_that_later_ones_follow", "a: {b: 1\nc: {d: 2}\ne: {f: [3]}\n",
     "line 1, column 4: this map is not closed: `{` of line 1"},
    {"a_wrong_close_before_later_openings", "a: {b: 1]\nc: {d: 2}\ne: [3]\n",
     "`]` of line 1 cannot close `{` of line 1"},
    {"a_wrong_close_in_another_line", "a: [\n  1,\n  2}\nc: {d: {e: [\n",
     "`}` of line 3 cannot close `[` of line 1"},
    {"a_close_without_opening", "a: 1\nb: ]\nc: {d: 2}\n",
     "`]` of line 2 closes nothing; remove it, or put the text in quotes"},
    {"one_close_too_many", "a: [1]]\nc: {d: 2}\n",
     "`]` of line 1 closes nothing; remove it, or put the text in quotes"},
    {"a_close_behind_quotes", "a: '1']\nc: {d: 2}\n",
     "`]` of line 1 closes nothing; remove it, or put the text in quotes"},
    {"a_quote_within_quotes", "a: 'it''s [ok]'\nb: {c: 1\n",
     "line 2, column 4: this map is not closed: `{` of line 2"},
    {"brackets_in_plain_text", "a: if [ -f x\nb: y ]\nc: {d: 1\n",
     "line 3, column 4: this map is not closed: `{` of line 3"},
    {"braces_of_a_shell", "a: echo ${HOME} }\nb: {c: 1\n",
     "line 2, column 4: this map is not closed: `{` of line 2"},
    {"a_script", "a: |\n  if [ -f x; then echo ${B}\n  fi }\nb: {c: 1\n",
     "line 4, column 4: this map is not closed: `{` of line 4"},
    {"a_script_with_an_empty_line", "a:\n  - |\n    (]\n\n    }\n  - [1\n",
     "line 6, column 5: this list is not closed: `[` of line 6"},
    {"a_script_below_its_dash", "- \r\n  |\r\n x: ]\r\n- {a: 1\r\n",
     "line 4, column 3: this map is not closed: `{` of line 4"},
    {"a_script_in_a_map_of_a_list", "- a: >-\n    }]\n  b: [1\n",
     "line 3, column 6: this list is not closed: `[` of line 3"},
    {"behind_a_script_in_a_list", "- a: |\n    x\n  b: {c: 1]\n",
     "`]` of line 3 cannot close `{` of line 3"},
    {"an_apostrophe_in_plain_text", "a: it's here\nb: {c: 1\n",
     "line 2, column 4: this map is not closed: `{` of line 2"},
    {"brackets_in_quotes", "a: '}]'\n\"b\": {\"c]\": '[', d: 1\n",
     "line 2, column 6: this map is not closed: `{` of line 2"},
    {"brackets_in_a_comment", "a: 1 # }\n# ]\nb: {c: 1 # }\n",
     "line 3, column 4: this map is not closed: `{` of line 3"},
    {"after_brackets_that_the_parser_counts_otherwise", ": [{,{}#\n{",
     "line 2, column 1: this map is not closed: `{` of line 2"},
    {"behind_an_anchor", "a: &x [1\nb: 2\n",
     "line 1, column 7: this list is not closed: `[` of line 1"},
});

TEST(YamlWords, CountPrecedingLines) {
  constexpr std::string_view kText = "---\na: 1\n---\nb: {c: [1}\n";
  YamlReader reader(kText, {.lines_in_front = 10});
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kError);
  EXPECT_EQ(reader.error().message(),
            "line 4, column 10: `}` of line 14 cannot close `[` of line 14");
  YamlReader quoted("a: \"x\n", {.lines_in_front = 10});
  ASSERT_EQ(quoted.next(document), YamlReader::ReadResult::kError);
  EXPECT_EQ(quoted.error().message(), "line 1, column 4: this text is not closed: `\"` of line 11");
}

TEST(YamlWords, CountIndentation) {
  constexpr std::string_view kFitsNothing =
      ", which fits nothing above it; indent it like what it belongs to";
  EXPECT_EQ(mistake_of("a:\n  b: 1\n c: 2\n"),
            "this line is indented by 1 blank" + std::string(kFitsNothing));
  EXPECT_EQ(mistake_of("a:\n    b: 1\n  c: 2\n"),
            "this line is indented by 2 blanks" + std::string(kFitsNothing));
}

TEST(YamlWords, NameTheCharacterThatBeginsText) {
  EXPECT_EQ(mistake_of("a: @x\n"), "a text must not begin with `@`; put it in quotes");
  EXPECT_EQ(mistake_of("a: 1\nb: `x\n"), "a text must not begin with ```; put it in quotes");
}

TEST(YamlWords, PointAtTheTab) {
  YamlReader reader("a:\n \tb: 1\n");
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kError);
  EXPECT_EQ(reader.error().message(), "line 2, column 2: a tab cannot indent YAML; use spaces");
}

TEST(YamlWords, PointAtTheTextWithoutColon) {
  YamlReader reader("a:\n    b\n    c: 1\n");
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kError);
  EXPECT_EQ(
      reader.error().message(),
      "line 2, column 5: a line must be NAME: VALUE, or - ITEM; there is no colon in this one");
}

INSTANTIATE_TEST_SUITE_P(, Brackets, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace dynamo::json

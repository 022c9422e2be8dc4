#include "json/yaml.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"
#include "tests/json/yaml_texts.hpp"

namespace dynamo::json {
namespace {

struct Row {
  const char* name;
  std::string_view yaml;
  std::string_view result;  // JSON or a message
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

class Yaml : public testing::TestWithParam<Row> {};

TEST_P(Yaml, ReadsAsExpected) {
  EXPECT_EQ(read_all(GetParam().yaml), Texts{std::string(GetParam().result)});
}

// Faults that yaml-cpp finds: their location matters, not the message.
class YamlFault : public testing::TestWithParam<Row> {};

TEST_P(YamlFault, HasTheExpectedLocation) {
  const Texts read = read_all(GetParam().yaml);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].substr(0, read[0].find(':')), GetParam().result) << read[0];
  EXPECT_GT(read[0].size(), GetParam().result.size() + 5) << "there must be a reason";
}

INSTANTIATE_TEST_SUITE_P(
    Structure, Yaml,
    testing::Values(
        Row{"BlockMapping", "a: 1\nb:\n  c: x\n", R"({"a":1,"b":{"c":"x"}})"},
        Row{"BlockSequence", "- a\n- 1\n-\n  - b\n- - c\n  - d\n", R"(["a",1,["b"],["c","d"]])"},
        Row{"SequenceAtTheIndentOfItsKey", "a:\n- b\n- c\nd: 1\n", R"({"a":["b","c"],"d":1})"},
        Row{"BlockTextAtTheIndentOfItsKey", "a:\n|\n b\nc:\n>\n d\n", R"({"a":"b\n","c":"d\n"})"},
        Row{"FlowCollections", "a: [a, 1, {b: c, d}, ]\n", R"({"a":["a",1,{"b":"c","d":null}]})"},
        Row{"FlowOverLines", "a: {b: 1,\n  c: [2,\n  3]}\n", R"({"a":{"b":1,"c":[2,3]}})"},
        Row{"PairsInAFlowSequence", "a: [a: 1, b: 2]", R"({"a":[{"a":1},{"b":2}]})"},
        Row{"ExplicitKeys", "? a\n: b\n? |\n  k\n: v\n", R"({"a":"b","k\n":"v"})"},
        Row{"EmptyValues", "a:\nb: ~\nc: ''\nd: {}\ne: []\n",
            R"({"a":null,"b":null,"c":"","d":{},"e":[]})"},
        Row{"EmptyElements", "-\n-\n", "[null,null]"}, Row{"ScalarDocument", "a", R"("a")"},
        Row{"ExplicitKeysWithoutValue", "? a\n? b", R"({"a":null,"b":null})"},
        Row{"ALastKeyWithoutValue", "a: 1\nb:", R"({"a":1,"b":null})"},
        Row{"ALastFlowKeyWithoutValue", "a:\n- {b: 1, c}", R"({"a":[{"b":1,"c":null}]})"},
        Row{"PercentSignsInQuotes", "a: \"x\n%b\"", R"({"a":"x %b"})"},
        Row{"PercentSignsInPlainText", "a\n%b\n", R"("a %b")"},
        Row{"ColonWithoutSpace", "a:b", R"("a:b")"},
        Row{"HashWithoutSpace", "a: x#c", R"({"a":"x#c"})"},
        Row{"Comments", "# x\na: 1 # y\n  # z\nb: # w\n  2\n", R"({"a":1,"b":2})"},
        Row{"FoldedPlainText", "a: a\n  b\n\n  c", R"({"a":"a b\nc"})"},
        Row{"LiteralBlock", "a: |\n x\n  y\nb: 1\n", R"({"a":"x\n y\n","b":1})"},
        Row{"LiteralBlockWithIndicators", "a: |2-\n   x\n", R"({"a":" x"})"},
        Row{"KeptLineBreaks", "a: |+\n  x\n\n", R"({"a":"x\n\n"})"},
        Row{"FoldedBlock", "a: >-\n  a\n  b\n\n   c\n", R"({"a":"a b\n\n c"})"},
        Row{"WindowsLineEnds", "a: 1\r\nb:\r\n- x\r\n", R"({"a":1,"b":["x"]})"},
        Row{"ByteOrderMark",
            "\xEF\xBB\xBF"
            "a: 1\n",
            R"({"a":1})"},
        Row{"Json", R"({"a": [1, true, null, "x\n"], "b": {"c": 1.5}})",
            R"({"a":[1,true,null,"x\n"],"b":{"c":1.5}})"},
        Row{"TabsBehindAName", "x:\n  a :\tb\n", R"({"x":{"a":"b"}})"},
        Row{"TabsBehindTheIndentInBrackets", "a: [b\n \tc]\nx:\n  d: [e\n   \tf]\n",
            R"({"a":["b c"],"x":{"d":["e f"]}})"},
        Row{"JsonWithTabs", "{\n\t\"a\":\t[\n\t\t1\n\t]\n}\n", R"({"a":[1]})"},
        Row{"JsonThatIsNotYaml", R"({"a": "\ud83d\ude00"})", "{\"a\":\"\U0001F600\"}"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Anchors, Yaml,
    testing::Values(
        Row{"AliasOfAScalar", "a: &x 1\nb: *x\n", R"({"a":1,"b":1})"},
        Row{"AliasOfAMapping", "a: &x {b: [1]}\nc: *x\n", R"({"a":{"b":[1]},"c":{"b":[1]}})"},
        Row{"AliasOfNothing", "a: &x\nb: *x\n", R"({"a":null,"b":null})"},
        Row{"AliasAsKey", "a: &x 1\n*x : 2\n", R"({"a":1,"1":2})"},
        Row{"AliasOfATaggedScalar", "a: !!str &x 1\nb: *x", R"({"a":"1","b":"1"})"},
        Row{"AnchorDefinedTwice", "- &a a\n- *a\n- &a b\n- *a\n", R"(["a","a","b","b"])"},
        Row{"AliasOfAnAliasedMapping", "a: &x {b: 1}\nc: &y {d: *x}\ne: *y\n",
            R"({"a":{"b":1},"c":{"d":{"b":1}},"e":{"d":{"b":1}}})"},
        Row{"MergeKey", "x: &x {a: 1, b: 2}\nm:\n  <<: *x\n  b: 3\n",
            R"({"x":{"a":1,"b":2},"m":{"a":1,"b":3}})"},
        Row{"LaterMergeOverridesEarlierKey", "x: &x {a: 1, b: 2}\nm:\n  b: 3\n  <<: *x\n",
            R"({"x":{"a":1,"b":2},"m":{"b":2,"a":1}})"},
        Row{"MergeOfAList", "x: &x {a: 1, b: 2}\nz: &z {b: 9, c: 8}\nm:\n  <<: [*x, *z]\n",
            R"({"x":{"a":1,"b":2},"z":{"b":9,"c":8},"m":{"b":2,"c":8,"a":1}})"},
        Row{"MergeInPlace", "m:\n  <<: {a: 1}\n", R"({"m":{"a":1}})"},
        Row{"MergeOfMerged", "x: &x {a: 1}\nw: &w {<<: *x, b: 2}\nz: {<<: *w, c: 3}\n",
            R"({"x":{"a":1},"w":{"a":1,"b":2},"z":{"a":1,"b":2,"c":3}})"},
        Row{"TwoMergeKeys", "m:\n  <<: {a: 1}\n  <<: {b: 1}\n", R"({"m":{"a":1,"b":1}})"},
        Row{"MergeOfNothing", "m:\n  <<: []\n", R"({"m":{}})"},
        Row{"TaggedMerge", "m:\n  !!merge <<: {a: 1}\n", R"({"m":{"a":1}})"},
        Row{"QuotedIsNoMerge", "m:\n  '<<': {a: 1}\n", R"({"m":{"<<":{"a":1}}})"},
        Row{"StringIsNoMerge", "m:\n  !!str <<: {a: 1}\n", R"({"m":{"<<":{"a":1}}})"},
        Row{"MergeTagOnAnotherKeyIsNoMerge", "m:\n  !!merge x: {a: 1}\n", R"({"m":{"x":{"a":1}}})"},
        Row{"FoldedTextKeepsEmptyLinesWithCarriageReturns", "a: >+\r\n  b\r\n\r\n",
            R"({"a":"b\n\n"})"},
        Row{"QuotedTextEndsBehindATab", "a: \"b\n\t\"\n", R"({"a":"b "})"},
        Row{"QuotedTextHasEscapesBeforeATab", "a: \"\\x41\t\n  \\u0042\"\n", R"({"a":"A B"})"},
        Row{"MergeAsAValueIsText", "a: <<\n", R"({"a":"<<"})"},
        Row{"KeyOverriddenByMergeAndMergeByMerge", "m:\n  <<: {a: 1}\n  a: 2\n  <<: {a: 3}\n",
            R"({"m":{"a":3}})"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Faults, Yaml,
    testing::Values(
        Row{"DuplicateKey", "a: 1\nb: 2\na: 3\n",
            "line 3, column 1: the key \"a\" occurs twice in one object, first in line 1"},
        Row{"DuplicateAfterConversion", "m:\n  1: a\n  '1': b\n",
            "line 3, column 3: the key \"1\" occurs twice in one object, first in line 2"},
        Row{"DuplicateBoolean", "{yes: a, true: b}",
            "line 1, column 10: the key \"true\" occurs twice in one object, first in line 1"},
        Row{"DuplicateBesideAMerge", "a: 0\n<<: {a: 1}\na: 2\n",
            "line 3, column 1: the key \"a\" occurs twice in one object, first in line 2"},
        Row{"DuplicateInAMergedMapping", "<<: {a: 1, a: 2}\n",
            "line 1, column 12: the key \"a\" occurs twice in one object, first in line 1"},
        Row{"NullKey", "a: 1\n~: 2\n",
            "line 2, column 1: a key must be a string, a boolean or a number of at most 63 bits"},
        Row{"AnchorNameWithAPoint", "a: &x.y b\n",
            "line 1, column 4: this name of an anchor must hold ASCII letters, digits, - and _ "
            "alone, as kubectl has it"},
        Row{"AnchorNameWithAPointBelowATag", "a: !!str # c\n  &x.y b\n",
            "line 1, column 4: this name of an anchor must hold ASCII letters, digits, - and _ "
            "alone, as kubectl has it"},
        Row{"CommaBehindAnAlias", "a: &x 1\nb: *x,\n",
            "line 2, column 4: this name of an anchor must hold ASCII letters, digits, - and _ "
            "alone, as kubectl has it"},
        Row{"MissingKey", ": a\n",
            "line 1, column 1: a key must be a string, a boolean or a number of at most 63 bits"},
        Row{"SequenceAsKey", "? [a]\n: b\n",
            "line 1, column 3: a key must be a string, a boolean or a number of at most 63 bits"},
        Row{"MappingAsKey", "? {a: b}\n: c\n",
            "line 1, column 3: a key must be a string, a boolean or a number of at most 63 bits"},
        Row{"UnsignedKey", "18446744073709551615: a\n",
            "line 1, column 1: a key must be a string, a boolean or a number of at most 63 bits"},
        Row{"MergeOfAScalar", "m:\n  <<: 1\n",
            "line 2, column 3: a merge key (<<) must be followed by an object or a list of "
            "objects"},
        Row{"MergeOfScalars", "m:\n  <<: [1]\n",
            "line 2, column 3: a merge key (<<) must be followed by an object or a list of "
            "objects"},
        Row{"MergeOfLists", "m:\n  <<: [[{a: 1}]]\n",
            "line 2, column 3: a merge key (<<) must be followed by an object or a list of "
            "objects"},
        Row{"AliasInItsAnchor", "&a [*a]\n",
            "line 1, column 5: an alias must not be inside its own anchor"},
        Row{"AliasDeepInItsAnchor", "a: &a\n  b:\n  - c: *a\n",
            "line 3, column 8: an alias must not be inside its own anchor"},
        Row{"OpenDoubleQuotesBeforeALineBreak", "a: \"x\n",
            "line 1, column 4: this text is not closed: `\"` of line 1"},
        Row{"OpenSingleQuotesBeforeALineBreak", "a: 1\nb: 'x\n\n",
            "line 2, column 4: this text is not closed: `'` of line 2"},
        Row{"OpenSingleQuotesBehindADoubledOne", "a: 'it''s\n",
            "line 1, column 4: this text is not closed: `'` of line 1"},
        Row{"OpenSingleQuotesBehindABackslash", "a: 'it\\''\n",
            "line 1, column 4: this text is not closed: `'` of line 1"},
        Row{"OpenDoubleQuotesBehindSingleOnes", "a: \"it''s\n",
            "line 1, column 4: this text is not closed: `\"` of line 1"},
        Row{"OpenQuotesBehindProperties", "a: !!str &x \"\u00e9\\\"\n",
            "line 1, column 4: this text is not closed: `\"` of line 1"},
        Row{"ValueLeftOut", "a: [a, , b]", "line 1, column 8: expected a value before ','"},
        Row{"TextBehindTheDocument", "{a: 1}\n{b: 2}\n",
            "line 2, column 1: more text follows the end of the document"},
        Row{"SequenceThenMapping", "- a\nb: c\n",
            "line 2, column 1: more text follows the end of the document"},
        Row{"LastLineWithoutColon", "a: 1\nb\n",
            "line 2, column 1: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"LastLineWithoutColonOrEnd", "a: 1\nb:\n  c: 1\n  'd'",
            "line 4, column 3: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"LastLineWithAnAnchorAndNoColon", "a: 1\n&x b",
            "line 2, column 1: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"LastLineWithAnAliasAndNoColon", "a: &x 1\n*x",
            "line 2, column 1: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"LastLineWithAListAndNoColon", "a: 1\n[x]",
            "line 2, column 1: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"LastLineWithATagAndNoColon", "a: 1\n!t",
            "line 2, column 1: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"LastLineWithoutBlankBehindTheColon", "a: 1\nb:c\n...\n",
            "line 2, column 1: a blank must follow the colon behind a name"},
        Row{"LastLineOfSeveral", "- a: 1\n  b\n   c\n",
            "line 2, column 3: a line must be NAME: VALUE, or - ITEM; there is no colon in this "
            "one"},
        Row{"DirectiveBehindAMapping", "a: 1\n%b\n",
            "line 2, column 1: directives (lines that begin with %) are not supported; remove it"},
        Row{"DirectiveBehindNestedMappings", "a:\n  b: 1\n%YAML 1.2\n\n# c\n",
            "line 3, column 1: directives (lines that begin with %) are not supported; remove it"},
        Row{"DirectiveBehindAListInBrackets", "[a]\n%b",
            "line 2, column 1: directives (lines that begin with %) are not supported; remove it"},
        Row{"DirectiveBehindATab", "a: \"x\"\n\t\n%b\n",
            "line 3, column 1: directives (lines that begin with %) are not supported; remove it"},
        Row{"DirectiveBeforeAnEnd", "a: 1\n%b\n...\n",
            "line 2, column 1: directives (lines that begin with %) are not supported; remove it"},
        Row{"DirectiveBetweenMappings", "a: 1\n%b\n# d\nc: 1\n",
            "line 2, column 1: directives (lines that begin with %) are not supported; remove it"},
        Row{"TabsBehindAColonAlone", "x:\n  ? a\n  :\tb\n",
            "line 3, column 4: a tab cannot indent YAML; use spaces"},
        Row{"TabsBehindAFirstColon", ":\tb\n",
            "line 1, column 2: a tab cannot indent YAML; use spaces"},
        Row{"TabsBehindAFirstIndentedColon", " :\tb\n",
            "line 1, column 3: a tab cannot indent YAML; use spaces"},
        Row{"TabInABlankLineBehindAString", "a: \"x\"\n\t\nb: 1\n",
            "line 2, column 1: a tab cannot indent YAML; use spaces"},
        Row{"TabInTheLastLineBelowABlankOne", "\na: \"x\"\n\t\n",
            "line 3, column 1: a tab cannot indent YAML; use spaces"},
        Row{"TabsInBrackets", "a: [b\n\tc]\n",
            "line 1, column 5: a tab cannot indent YAML; use spaces"},
        Row{"TabsInBracketsBelowABlankLine", "a: [b\n \n\tc]\n",
            "line 1, column 5: a tab cannot indent YAML; use spaces"},
        Row{"TabsInBracketsOfANestedMap", "x:\n  a: [b\n  \tc]\n",
            "line 2, column 7: a tab cannot indent YAML; use spaces"},
        Row{"NotUtf8", "a: 1\nb: x\xFFy\n", "line 2, column 5: the text is not UTF-8"},
        Row{"ControlCharacter", "a: 1\nb: x\ay\n",
            "line 2, column 5: control characters are not allowed in YAML"},
        Row{"EndOfTransmission", "a: x\x04\n",
            "line 1, column 5: control characters are not allowed in YAML"},
        Row{"Delete", "a: x\x7F\n", "line 1, column 5: control characters are not allowed in YAML"},
        Row{"HighControlCharacter", "a: x\u0080\n",
            "line 1, column 5: control characters are not allowed in YAML"},
        Row{"NotACharacter", "a: x\uFFFE\n",
            "line 1, column 5: control characters are not allowed in YAML"},
        Row{"CarriageReturnAlone", "a: 1\rb: 2\n",
            "line 1, column 5: control characters are not allowed in YAML"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Places, YamlFault,
    testing::Values(Row{"UnknownAlias", "a: 1\nb: *x\n", "line 2, column 4"},
                    Row{"WrongIndent", "a: 1\n b: 2\n", "line 2, column 3"},
                    Row{"MappingInALine", "a: b: c\n", "line 1, column 5"},
                    Row{"SequenceInALine", "a: - b\n", "line 1, column 4"},
                    Row{"OpenFlowSequence", "a: [1\n", "line 1, column 4"},
                    Row{"OpenFlowMapping", "a: {b: 1\n", "line 1, column 4"},
                    Row{"OpenDoubleQuotes", "a: \"x", "line 1, column 4"},
                    Row{"UnknownEscape", "a: \"\\q\"", "line 1, column 7"},
                    Row{"ReservedCharacter", "a: @x\n", "line 1, column 4"},
                    Row{"TabAsIndent", "a:\n\tb: 1\n", "line 2, column 1"},
                    Row{"MappingThenSequence", "a: 1\n- b\n", "line 2, column 1"},
                    Row{"JsonWithDuplicateKeysThatIsNotYaml", R"({"a": "\ud83d\ude00", "a": 1})",
                        "line 1, column 14"}),
    [](const auto& instance) { return std::string(instance.param.name); });

// --- Streams

TEST(YamlFaults, MessagesAreUtf8) {
  for (const std::string_view yaml : {"a: \"\\é\"\n", "a: \"\\\uFEFF\"\n", "a: \"\\🦉\"\n"}) {
    const std::vector<std::string> read = read_all(yaml);
    ASSERT_EQ(read.size(), 1U);
    EXPECT_FALSE(find_invalid_utf8(read[0])) << read[0];
    EXPECT_TRUE(read[0].starts_with("line 1, column ")) << read[0];
  }
}

TEST(YamlStream, ReadsConsecutiveDocuments) {
  EXPECT_EQ(read_all("a: 1\n---\nb: 2\n---\n- c\n"),
            (Texts{R"({"a":1})", R"({"b":2})", R"(["c"])"}));
  EXPECT_EQ(read_all("---\na: 1\n--- # comment\nb: 2\n"), (Texts{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(read_all("a: 1\n---   \r\nb: 2"), (Texts{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(read_all("a: 1\n...\nb: 2\n...\n---\nc: 3"),
            (Texts{R"({"a":1})", R"({"b":2})", R"({"c":3})"}));
  EXPECT_EQ(read_all("{\"a\": 1}\n---\nb: 2\n"), (Texts{R"({"a":1})", R"({"b":2})"}));
}

TEST(YamlStream, SkipsEmptyDocuments) {
  for (const std::string_view yaml :
       {"", "\n\n", "---\n", "---", "# only a comment\n", "---\n---\n# x\n---\n", "null\n",
        "---\n~\n", "---\n...\n...\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(read_all(yaml), Texts{}) << yaml;
  }
  EXPECT_EQ(read_all("---\n---\n# x\n---\na: 1\n---\n---\n"), Texts{R"({"a":1})"});
}

TEST(YamlStream, EndMarkerWithoutDocumentIsRefused) {
  const Texts refused{"line 1, column 1: there is no document that ... could end"};
  EXPECT_EQ(read_all("..."), refused);
  EXPECT_EQ(read_all("...\n"), refused);
}

TEST(YamlStream, ContinuesAfterAFaultyDocument) {
  EXPECT_EQ(read_all("a: [\n---\nb: 2\n---\nc: 'x\n---\nd: 4\n"),
            (Texts{"line 1, column 4: this list is not closed: `[` of line 1", R"({"b":2})",
                   "line 5, column 4: this text is not closed: `'` of line 5", R"({"d":4})"}));
}

TEST(YamlStream, CountsLinesThroughTheWholeText) {
  const std::string_view yaml = "a: 1\n---\n\n# x\nb: 2\n---\nc:\n  d: 3\n";
  YamlReader reader(yaml);
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  EXPECT_EQ(reader.line(), 1U);
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  EXPECT_EQ(reader.line(), 2U);
  EXPECT_EQ(document.location(document.root()["b"])->line, 5U);
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  EXPECT_EQ(reader.line(), 6U);
  EXPECT_EQ(document.location(document.root()["c"]["d"])->line, 8U);
  EXPECT_EQ(document.location(document.root()["c"]["d"])->column, 6U);
  EXPECT_EQ(reader.next(document), YamlReader::ReadResult::kEnd);
  EXPECT_EQ(reader.next(document), YamlReader::ReadResult::kEnd);
}

TEST(YamlStream, CountsLinesBehindEndMarkers) {
  EXPECT_EQ(read_all("a: 1\n...\nb: 1\n...\n# x\nc: [\n"),
            (Texts{R"({"a":1})", R"({"b":1})",
                   "line 6, column 4: this list is not closed: `[` of line 6"}));
}

TEST(YamlStream, SharesNoAnchorsBetweenDocuments) {
  EXPECT_EQ(read_all("a: &x 1\n---\nb: *x\n"),
            (Texts{R"({"a":1})",
                   "line 3, column 4: this alias (*NAME) has no anchor (&NAME) above it; put "
                   "the text in quotes if it is none"}));
}

TEST(YamlStream, RefusesTextNextToSeparators) {
  EXPECT_EQ(read_all("a: 1\n--- {b: 2}\nc: 3\n---\nd: 4\n"),
            (Texts{"line 2, column 4: only a comment may follow the separator ---", R"({"c":3})",
                   R"({"d":4})"}));
  EXPECT_EQ(read_all("---x\n"),
            (Texts{"line 1, column 4: only a comment may follow the separator ---"}));
  EXPECT_EQ(
      read_all("%YAML 1.2\n---\na: 1\n"),
      (Texts{"line 1, column 1: directives (lines that begin with %) are not supported; remove it",
             R"({"a":1})"}));
  EXPECT_EQ(
      read_all("a: 1\n%YAML 1.2\n---\nb: 1\n"),
      (Texts{"line 2, column 1: directives (lines that begin with %) are not supported; remove it",
             R"({"b":1})"}));
}

TEST(YamlStream, IgnoresDashesInsideText) {
  EXPECT_EQ(read_all("a: |\n  ---\n  x\nb: ' ---'\n"), (Texts{R"({"a":"---\nx\n","b":" ---"})"}));
}

TEST(YamlStream, DocumentsAreIndependentOfTheReader) {
  std::string yaml = "key: a long enough text to be no short string\n";
  YamlReader reader(yaml);
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  yaml.assign(yaml.size(), '?');
  EXPECT_EQ(to_text(document.root()), R"({"key":"a long enough text to be no short string"})");
}

// --- Locations

struct Place {
  std::uint32_t line;
  std::uint32_t column;
  bool operator==(const Place&) const = default;
};

void PrintTo(const Place& place, std::ostream* out) {
  *out << place.line << ':' << place.column;
}

Place place_of(const Document& document, Value value) {
  const auto location = document.location(value);
  return location ? Place{location->line, location->column} : Place{0, 0};
}

TEST(YamlLocation, IsKnownForEveryValueAndKey) {
  const std::string_view yaml =
      "spec:\n"                 // 1
      "  services:\n"           // 2
      "    Frontend:\n"         // 3
      "      replicas: 1\n"     // 4
      "      envs:\n"           // 5
      "        - name: A\n"     // 6
      "          value: 'b'\n"  // 7
      "  list: [x, {k: z}]\n";  // 8
  YamlReader reader(yaml);
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  const auto place = [&](std::string_view pointer) {
    return place_of(document, at_pointer(document.root(), pointer));
  };
  EXPECT_EQ(place(""), (Place{1, 1}));
  EXPECT_EQ(place("/spec/services/Frontend/replicas"), (Place{4, 17}));
  EXPECT_EQ(place("/spec/services/Frontend/envs"), (Place{6, 9}));
  EXPECT_EQ(place("/spec/services/Frontend/envs/0"), (Place{6, 11}));
  EXPECT_EQ(place("/spec/services/Frontend/envs/0/value"), (Place{7, 18}));
  EXPECT_EQ(place("/spec/list/0"), (Place{8, 10}));
  EXPECT_EQ(place("/spec/list/1/k"), (Place{8, 17}));
  const Value services = document.root()["spec"]["services"];
  EXPECT_EQ(place_of(document, Value{services.node() - 1}), (Place{2, 3})) << "a key's own place";
}

TEST(YamlLocation, AliasedValueHasItsOriginalLocation) {
  const std::string_view yaml = "a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n";
  YamlReader reader(yaml);
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  EXPECT_EQ(place_of(document, document.root()["c"]["b"]), (Place{2, 6}));
  EXPECT_EQ(place_of(document, document.root()["d"]["b"]), (Place{2, 6}));
  const Value c = document.root()["c"];
  EXPECT_EQ(place_of(document, Value{c.node() - 1}), (Place{3, 1}));
}

TEST(YamlLocation, IsUnknownForJsonThatIsNotYaml) {
  YamlReader reader(R"({"a": "\ud83d\ude00"})");
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  EXPECT_EQ(document.location(document.root()["a"]), std::nullopt);
}

// --- Limits

TEST(YamlDuplicates, AreKeptInOrderOnRequest) {
  const YamlOptions keep{.keep_duplicate_keys = true};
  EXPECT_EQ(read_all("a: 1\nb: {c: 2, c: 3}\na: 4\n", keep),
            Texts{R"({"a":1,"b":{"c":2,"c":3},"a":4})"});
  EXPECT_EQ(read_all("{yes: a, true: b}", keep), Texts{R"({"true":"a","true":"b"})"});
  EXPECT_EQ(read_all("a: 0\n<<: {a: 1, b: 2}\na: 3\nb: 4\n", keep),
            Texts{R"({"a":1,"b":4,"a":3})"});
  EXPECT_EQ(read_all(R"({"a": "\ud83d\ude00", "a": 1})", keep),
            Texts{"{\"a\":\"\U0001F600\",\"a\":1}"});
}

TEST(YamlDuplicates, StillCountAgainstTheLimits) {
  EXPECT_EQ(read_all("{a: 1, a: 2}", {.max_nodes = 5, .keep_duplicate_keys = true}),
            Texts{R"({"a":1,"a":2})"});
  EXPECT_EQ(read_all("{a: 1, a: 2}", {.max_nodes = 4, .keep_duplicate_keys = true}).size(), 1U);
  EXPECT_EQ(read_all("{a: 1, a: 2}", {.max_nodes = 4, .keep_duplicate_keys = true})[0],
            "line 1, column 11: more than 4 values in one document");
}

TEST(YamlLocations, HaveLocationsForEachName) {
  YamlReader reader("a: 1\nb:\n  c: 2\n  c: 3\n", {.keep_duplicate_keys = true});
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  std::vector<Location> names;
  for (const Member member : document.root()["b"].members()) {
    const Value name{member.value.node() - 1};
    EXPECT_EQ(name.string(), member.name);
    names.push_back(*document.location(name));
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].line, 3U);
  EXPECT_EQ(names[0].column, 3U);
  EXPECT_EQ(names[1].line, 4U);
  EXPECT_EQ(names[1].column, 3U);
}

}  // namespace
}  // namespace dynamo::json

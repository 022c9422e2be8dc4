#include "cli/input/locate.hpp"

#include <gtest/gtest.h>

#include "api/field_path.hpp"
#include "json/parser.hpp"
#include "json/yaml.hpp"

namespace dynamo::cli {
namespace {

// "LINE:COLUMN marked text" of a field.
std::string shown(const Place& place) {
  const std::string_view marked =
      place.column == 0 ? std::string_view{}
                        : std::string_view(place.text).substr(place.column - 1, place.length);
  return std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
         std::string(marked);
}

std::string in_yaml(std::string_view text, std::string_view field, bool named = false) {
  json::YamlOptions options;
  options.keep_duplicate_keys = true;
  json::YamlReader reader(text, options);
  json::Document document;
  EXPECT_EQ(reader.next(document), json::YamlReader::ReadResult::kDocument);
  Lines lines(text, 0);
  Locator locator(lines, document);
  return shown(locator.of(document.root(), field, named));
}

std::string in_json(std::string_view text, std::string_view field, bool named = false) {
  const std::size_t offset = text.find('{');
  const auto parsed = json::parse_copy(text.substr(offset));
  EXPECT_FALSE(parsed->error);
  Lines lines(text, 0);
  Locator locator(lines, parsed->root(), offset);
  return shown(locator.of(parsed->root(), field, named));
}

constexpr std::string_view kYaml = R"(kind: X
metadata:
  name: "a b" # comment
  annotations:
    nvidia.com/x: plain text # comment
    a[0].b: 'it'
spec:
  services:
    Decode:
      replicas: -1
      args: [one, "two", {three: 3}]
    Empty:
  list:
  - name: x
    value: 1
  - name: y
  none: null
)";

TEST(LocatorTest, FindsScalarsByTheirValue) {
  EXPECT_EQ(in_yaml(kYaml, "metadata.name"), "3:9 \"a b\"");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].replicas"), "10:17 -1");
  EXPECT_EQ(in_yaml(kYaml, "spec.list[1].name"), "16:11 y");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].args[0]"), "11:14 one");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].args[1]"), "11:19 \"two\"");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].args[2].three"), "11:34 3");
}

TEST(LocatorTest, BracketsInsideTextBelongToIt) {
  EXPECT_EQ(in_yaml("a: ${NAME} # why\n", "a"), "1:4 ${NAME}");
  EXPECT_EQ(in_yaml("a: x[0] y\n", "a"), "1:4 x[0] y");
}

TEST(LocatorTest, FindsKeysWithDotsAndBrackets) {
  EXPECT_EQ(in_yaml(kYaml, "metadata.annotations[nvidia.com/x]"), "5:19 plain text");
  EXPECT_EQ(in_yaml(kYaml, "metadata.annotations[a[0].b]"), "6:13 'it'");
}

TEST(LocatorTest, MarksNamesOfContainersAndNulls) {
  EXPECT_EQ(in_yaml(kYaml, "spec.services"), "8:3 services");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].args"), "11:7 args");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Empty]"), "12:5 Empty");
  EXPECT_EQ(in_yaml(kYaml, "spec.none"), "17:3 none");
}

TEST(LocatorTest, FindsListElementsAtTheirBeginning) {
  EXPECT_EQ(in_yaml(kYaml, "spec.list[1]"), "16:5 name");
}

TEST(LocatorTest, MissingFieldsUseTheNearestParent) {
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].resources.limits"), "9:5 Decode");
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Prefill]"), "8:3 services");
  EXPECT_EQ(in_yaml(kYaml, "spec.list[1].value"), "16:5 name");
  EXPECT_EQ(in_yaml(kYaml, "spec.list[7].value"), "13:3 list");
  EXPECT_EQ(in_yaml(kYaml, "status.x"), "1:1 kind");
  EXPECT_EQ(in_yaml(kYaml, "metadata.name.deeper"), "3:3 name");
}

TEST(LocatorTest, MarksTheNameWhenRequested) {
  EXPECT_EQ(in_yaml(kYaml, "spec.services[Decode].replicas", true), "10:7 replicas");
  EXPECT_EQ(in_yaml(kYaml, "metadata.annotations[nvidia.com/x]", true), "5:5 nvidia.com/x");
}

TEST(LocatorTest, LastDuplicateCounts) {
  EXPECT_EQ(in_yaml("a:\n  b: 1\n  c: 2\n  b: 3\n", "a.b", true), "4:3 b");
  EXPECT_EQ(in_yaml("a:\n  b: 1\n  c: 2\n  b: 3\n", "a.b"), "4:6 3");
  EXPECT_EQ(in_json("{\"a\":\n 1,\n\"a\": 2}", "a", true), "3:1 \"a\"");
}

TEST(LocatorTest, UnknownNamesMayContainDots) {
  EXPECT_EQ(in_yaml("a:\n  b.c: 1\n  b:\n    d: 1\n", "a.b.c", true), "2:3 b.c");
  EXPECT_EQ(in_yaml("a:\n  b.c: 1\n  b:\n    d: 1\n", "a.b.d", true), "4:5 d");
}

TEST(LocatorTest, FindsLongAndUnprintableKeysAsRendered) {
  const std::string key = std::string(400, 'k');
  const std::string text = "a:\n  \"" + key + "\": 1\n  \"x\\ty\": 2\n";
  const api::FieldPath root("a");
  EXPECT_EQ(in_yaml(text, root.key(key).render()), "2:" + std::to_string(400 + 7) + " 1");
  EXPECT_EQ(in_yaml(text, root.key("x\ty").render()), "3:11 2");
}

TEST(LocatorTest, FindsTheSamePlacesInJson) {
  const std::string_view json =
      "  {\"kind\": \"X\",\n\"spec\": {\"services\": {\"a\\\"]\": {\"n\": -1.5e3}, \"b\": "
      "[true, {\"c\": []}]},\n \"s\": \"x\\\\\"}}";
  EXPECT_EQ(in_json(json, "kind"), "1:12 \"X\"");
  EXPECT_EQ(in_json(json, "spec.services[a\"]].n"), "2:37 -1.5e3");
  EXPECT_EQ(in_json(json, "spec.services[b][0]"), "2:52 true");
  EXPECT_EQ(in_json(json, "spec.services[b][1].c"), "2:59 \"c\"");
  EXPECT_EQ(in_json(json, "spec.s"), "3:7 \"x\\\\\"");
  EXPECT_EQ(in_json(json, "spec.missing"), "2:1 \"spec\"");
  EXPECT_EQ(in_json(json, "missing"), "1:3 {");
}

TEST(LocatorTest, LineNumbersIncludePrecedingLines) {
  const std::string_view text = "a: 1\nb: 2\n";
  json::YamlReader reader(text);
  json::Document document;
  ASSERT_EQ(reader.next(document), json::YamlReader::ReadResult::kDocument);
  Lines lines(text, 100);
  Locator locator(lines, document);
  const Place place = locator.of(document.root(), "b", false);
  EXPECT_EQ(place.line, 102U);
  EXPECT_EQ(place.text, "b: 2");
}

TEST(LocatorTest, LinesWithAnyLineEndAreShownComplete) {
  EXPECT_EQ(in_yaml("a: one\r\nb: two", "a"), "1:4 one");
  EXPECT_EQ(in_yaml("a: one\r\nb: two", "b"), "2:4 two");
}

TEST(LocatorTest, PlacesAfterTheCutAreNotShown) {
  const std::string text =
      "{\"a\":\"" + std::string(5000, 'x') + "\",\"b\":1,\"c\":\"" + std::string(9, 'y') + "\"}";
  const auto parsed = json::parse_copy(text);
  Lines lines(text, 0);
  Locator locator(lines, parsed->root(), 0);
  const Place first = locator.of(parsed->root(), "a", false);
  EXPECT_EQ(first.text.size(), kLongestShownLine);
  EXPECT_EQ(first.column, 6U);
  EXPECT_EQ(first.column - 1 + first.length, kLongestShownLine);
  const Place second = locator.of(parsed->root(), "b", false);
  EXPECT_EQ(second.column, 5013U);
  EXPECT_EQ(second.text, "");
}

TEST(LocatorTest, RepeatedNamePartIsNotTheField) {
  EXPECT_EQ(in_yaml("ab: 1\na: 2\n", "a"), "2:4 2");
  EXPECT_EQ(in_yaml("a:\n  xy: 1\n", "a.x"), "1:1 a");
}

}  // namespace
}  // namespace dynamo::cli

// Each schema keyword, on both sides of its limit, with tables written for these tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string>

#include "schema/quantity.hpp"
#include "schema/validate.hpp"
#include "tests/schema/validation_helpers.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

using api::ErrorType;
using schema::Format;
using schema::Limits;
using schema::ListType;
using schema::Property;
using schema::Schema;
using schema::Type;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Schema kString{.type = Type::kString};
constexpr Schema kInteger{.type = Type::kInteger};
constexpr Schema kNumber{.type = Type::kNumber};
constexpr Schema kBoolean{.type = Type::kBoolean};
constexpr Schema kIntOrString{.type = Type::kIntOrString};
constexpr Schema kNullable{.type = Type::kString, .nullable = true};
constexpr Schema kStrings{.type = Type::kArray, .each = &kString};
constexpr Schema kStringMap{.type = Type::kObject, .each = &kString};
constexpr Schema kAny{.type = Type::kAny};

constexpr std::array<std::string_view, 2> kColours{"blue", "green"};
constexpr Limits kColourLimits{.enumeration = kColours};
constexpr Schema kColour{.type = Type::kString, .limits = &kColourLimits};
constexpr Limits kPercentLimits{.minimum = 0, .maximum = 100};
constexpr Schema kPercent{.type = Type::kInteger, .limits = &kPercentLimits};
constexpr Schema kRatio{.type = Type::kNumber, .limits = &kPercentLimits};
constexpr Limits kLengthLimits{.min_length = 2, .max_length = 3};
constexpr Schema kWord{.type = Type::kString, .limits = &kLengthLimits};
constexpr Limits kItemLimits{.min_items = 1, .max_items = 2};
constexpr Schema kPair{.type = Type::kArray, .each = &kString, .limits = &kItemLimits};
constexpr Limits kEntryLimits{.max_properties = 2};
constexpr Schema kSmallMap{.type = Type::kObject, .each = &kString, .limits = &kEntryLimits};
constexpr Limits kPatternLimits{.pattern = "^[a-c]+$"};
constexpr Schema kPattern{.type = Type::kString, .limits = &kPatternLimits};
constexpr Limits kQuantityLimits{.pattern = schema::kQuantityPattern};
constexpr Schema kQuantity{.type = Type::kIntOrString, .limits = &kQuantityLimits};
constexpr Schema kBytes{.type = Type::kString, .format = Format::kByte};
constexpr Schema kTime{.type = Type::kString, .format = Format::kDateTime};
constexpr Schema kInt32{.type = Type::kInteger, .format = Format::kInt32};
constexpr Schema kWithDefault{.type = Type::kString, .default_value = R"("TCP")"};

constexpr Property kPortProperties[] = {
    {"port", &kInteger, true}, {"protocol", &kWithDefault, true}, {"zone", &kString}};
constexpr Schema kPort{.type = Type::kObject, .properties = kPortProperties};
constexpr std::array<std::string_view, 2> kPortKeys{"port", "protocol"};
constexpr Schema kPorts{
    .type = Type::kArray, .list_type = ListType::kMap, .each = &kPort, .list_map_keys = kPortKeys};
constexpr Schema kSet{.type = Type::kArray, .list_type = ListType::kSet, .each = &kString};
constexpr Property kOpenProperties[] = {{"known", &kPort}};
constexpr Schema kOpen{
    .type = Type::kObject, .preserve_unknown = true, .properties = kOpenProperties};

constexpr Property kAllProperties[] = {
    {"any", &kAny},           {"bytes", &kBytes},       {"colour", &kColour},
    {"count", &kInteger},     {"enabled", &kBoolean},   {"int32", &kInt32},
    {"map", &kStringMap},     {"name", &kString},       {"names", &kStrings},
    {"nullable", &kNullable}, {"open", &kOpen},         {"pair", &kPair},
    {"pattern", &kPattern},   {"percent", &kPercent},   {"port", &kPort},
    {"ports", &kPorts},       {"quantity", &kQuantity}, {"ratio", &kRatio},
    {"set", &kSet},           {"size", &kIntOrString},  {"smallMap", &kSmallMap},
    {"time", &kTime},         {"weight", &kNumber},     {"word", &kWord},
};
constexpr Schema kAll{.type = Type::kObject, .properties = kAllProperties};

struct Row {
  const char* name;
  const char* value;
  std::vector<Finding> findings = {};
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.value;
}

class KeywordTest : public testing::TestWithParam<Row> {};

TEST_P(KeywordTest, IsEnforcedExactlyAtItsLimit) {
  EXPECT_EQ(findings_of_value(kAll, GetParam().value), GetParam().findings);
}

using enum ErrorType;

std::vector<Row> rows() {
  const auto type = [](const char* field) {
    return std::vector<Finding>{{kTypeInvalid, field, "schema.type"}};
  };
  const auto one = [](ErrorType kind, const char* field, const char* rule) {
    return std::vector<Finding>{{kind, field, rule}};
  };
  return {
      {"empty_object", "{}"},
      {"list_for_an_object", "[]", type("")},
      {"string", "{name: x}"},
      {"number_for_a_string", "{name: 8}", type("name")},
      {"boolean_for_a_string", "{name: true}", type("name")},
      {"object_for_a_string", "{name: {a: 1}}", type("name")},
      {"list_for_a_string", "{name: [a]}", type("name")},
      {"null_counts_as_absent", "{name: null, ports: null, map: null, port: null}"},
      {"null_where_it_is_allowed", "{nullable: null}"},
      {"integer", "{count: 3}"},
      {"integer_with_a_fraction_of_zero", "{count: 3.0}"},
      {"fraction_for_an_integer", "{count: 3.5}", type("count")},
      {"text_for_an_integer", "{count: '3'}", type("count")},
      {"integer_of_64_bits", "{count: 9223372036854775807}"},
      {"integer_beyond_64_bits", "{count: 9223372036854775808}", type("count")},
      {"the_server_does_not_know_32_bits", "{int32: 2147483648}"},
      {"integer_for_a_number", "{weight: 3}"},
      {"fraction_for_a_number", "{weight: 3.5}"},
      {"text_for_a_number", "{weight: x}", type("weight")},
      {"boolean", "{enabled: false}"},
      {"text_for_a_boolean", "{enabled: 'true'}", type("enabled")},
      {"int_or_string_as_integer", "{size: 5}"},
      {"int_or_string_as_string", "{size: 5Gi}"},
      {"int_or_string_as_fraction", "{size: 1.5}", type("size")},
      {"int_or_string_as_boolean", "{size: true}", type("size")},
      {"list", "{names: [a, b]}"},
      {"object_for_a_list", "{names: {a: b}}", type("names")},
      {"wrong_element", "{names: [a, 1]}", type("names[1]")},
      {"null_element", "{names: [null]}", type("names[0]")},
      {"map", "{map: {a.b: c}}"},
      {"wrong_map_value", "{map: {a.b: 1}}", type("map[a.b]")},
      {"null_map_value_counts_as_absent", "{map: {a: null}}"},
      {"anything", "{any: {a: [1, {b: null}]}}"},
      {"enum", "{colour: green}"},
      {"no_word_of_the_enum", "{colour: red}", one(kNotSupported, "colour", "schema.enum")},
      {"enum_is_exact", "{colour: Green}", one(kNotSupported, "colour", "schema.enum")},
      {"minimum", "{percent: 0, ratio: 0}"},
      {"below_the_minimum", "{percent: -1}", one(kInvalid, "percent", "schema.minimum")},
      {"just_below_the_minimum", "{ratio: -0.5}", one(kInvalid, "ratio", "schema.minimum")},
      {"maximum", "{percent: 100, ratio: 100.0}"},
      {"above_the_maximum", "{percent: 101}", one(kInvalid, "percent", "schema.maximum")},
      {"just_above_the_maximum", "{ratio: 100.5}", one(kInvalid, "ratio", "schema.maximum")},
      {"shortest_text", "{word: ab}"},
      {"too_short_text", "{word: a}", one(kInvalid, "word", "schema.length")},
      {"empty_text", "{word: ''}", one(kInvalid, "word", "schema.length")},
      {"longest_text", "{word: abc}"},
      {"too_long_text", "{word: abcd}", one(kTooLong, "word", "schema.length")},
      {"lengths_count_code_points", "{word: äöü}"},
      {"one_code_point_too_many", "{word: äöüß}", one(kTooLong, "word", "schema.length")},
      {"one_code_point_too_few", "{word: 𝄞}", one(kInvalid, "word", "schema.length")},
      {"fewest_items", "{pair: [a]}"},
      {"too_few_items", "{pair: []}", one(kInvalid, "pair", "schema.items")},
      {"most_items", "{pair: [a, b]}"},
      {"too_many_items", "{pair: [a, b, c]}", one(kTooMany, "pair", "schema.items")},
      {"most_entries", "{smallMap: {a: x, b: x}}"},
      {"null_entries_do_not_count", "{smallMap: {a: x, b: x, c: null}}"},
      {"too_many_entries", "{smallMap: {a: x, b: x, c: x}}",
       one(kTooMany, "smallMap", "schema.properties")},
      {"pattern", "{pattern: abc}"},
      {"no_match", "{pattern: abd}", one(kInvalid, "pattern", "schema.pattern")},
      {"pattern_of_an_empty_text", "{pattern: ''}", one(kInvalid, "pattern", "schema.pattern")},
      {"quantity", "{quantity: 16Gi}"},
      {"quantity_as_integer", "{quantity: 16}"},
      {"quantity_as_fraction", "{quantity: 1.5}", type("quantity")},
      {"no_quantity", "{quantity: 16GB}", one(kInvalid, "quantity", "schema.pattern")},
      {"empty_quantity", "{quantity: ''}", one(kInvalid, "quantity", "schema.pattern")},
      {"base64", "{bytes: aGVsbG8=}"},
      {"no_base64", "{bytes: hello}", one(kInvalid, "bytes", "schema.format")},
      {"time", "{time: '2025-01-31T12:00:00Z'}"},
      {"no_time", "{time: yesterday}", one(kInvalid, "time", "schema.format")},
      {"required", "{port: {port: 1}}"},
      {"missing", "{port: {}}", one(kRequired, "port.port", "schema.required")},
      {"null_is_missing", "{port: {port: null}}", one(kRequired, "port.port", "schema.required")},
      {"a_default_is_never_missing", "{port: {port: 1, protocol: null}}"},
      {"missing_in_an_element", "{ports: [{port: 1}, {zone: a}]}",
       one(kRequired, "ports[1].port", "schema.required")},
      {"unknown", "{nam: x}", one(kInvalid, "nam", "schema.unknown-field")},
      {"unknown_null", "{unknown: null}", one(kInvalid, "unknown", "schema.unknown-field")},
      {"unknown_with_a_dot", "{port: {port: 1, a.b: x}}",
       one(kInvalid, "port[a.b]", "schema.unknown-field")},
      {"unknown_in_an_element", "{ports: [{port: 1, por: 2}]}",
       one(kInvalid, "ports[0].por", "schema.unknown-field")},
      {"unknown_fields_that_are_kept", "{open: {a: {b: [c]}}}"},
      {"known_field_among_those_that_are_kept",
       "{open: {known: {port: x, b: 1}}}",
       {{kInvalid, "open.known.b", "schema.unknown-field"},
        {kTypeInvalid, "open.known.port", "schema.type"}}},
      {"duplicate", "{name: a, name: b}", one(kDuplicate, "name", "schema.duplicate-field")},
      {"duplicate_that_is_null", "{name: a, name: null}",
       one(kDuplicate, "name", "schema.duplicate-field")},
      {"three_of_a_name_are_one_finding", "{name: a, name: b, name: c}",
       one(kDuplicate, "name", "schema.duplicate-field")},
      {"duplicate_in_a_map", "{map: {b: x, a: x, b: z}}",
       one(kDuplicate, "map[b]", "schema.duplicate-field")},
      {"duplicate_far_apart_in_a_long_map",
       "{map: {b: x, a: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x, j: x, k: x, l: x, m: x, n: x, "
       "o: x, p: x, q: x, b: z}}",
       one(kDuplicate, "map[b]", "schema.duplicate-field")},
      {"duplicate_in_an_element", "{ports: [{port: 1, port: 2}]}",
       one(kDuplicate, "ports[0].port", "schema.duplicate-field")},
      {"duplicate_in_anything", "{any: {a: [{b: 1, b: 2}]}}",
       one(kDuplicate, "any.a[0].b", "schema.duplicate-field")},
      {"duplicate_among_those_that_are_kept", "{open: {a: 1, a: 2}}",
       one(kDuplicate, "open.a", "schema.duplicate-field")},
      {"duplicate_unknown",
       "{unknown: 1, unknown: 2}",
       {{kDuplicate, "unknown", "schema.duplicate-field"},
        {kInvalid, "unknown", "schema.unknown-field"}}},
      {"only_the_last_of_a_name_is_validated", "{count: x, count: 1}",
       one(kDuplicate, "count", "schema.duplicate-field")},
      {"the_last_of_a_name_is_validated",
       "{count: 1, count: x}",
       {{kDuplicate, "count", "schema.duplicate-field"}, {kTypeInvalid, "count", "schema.type"}}},
      {"duplicate_below_an_unknown_field",
       "{unknown: {a: 1, a: 2}}",
       {{kInvalid, "unknown", "schema.unknown-field"},
        {kDuplicate, "unknown.a", "schema.duplicate-field"}}},
      {"other_things_than_objects_in_a_keyed_list", "{ports: [{port: 1}, 7, {port: 1}]}",
       type("ports[1]")},
      {"keyed_list", "{ports: [{port: 1}, {port: 2}]}"},
      {"keys_count_together", "{ports: [{port: 1, protocol: TCP}, {port: 1, protocol: UDP}]}"},
      {"equal_keys", "{ports: [{port: 1, zone: a}, {port: 2}, {port: 1, zone: b}]}",
       one(kDuplicate, "ports[2]", "schema.duplicate-item")},
      {"equal_keys_by_default", "{ports: [{port: 1, protocol: TCP}, {port: 1}]}",
       one(kDuplicate, "ports[1]", "schema.duplicate-item")},
      {"keys_that_are_both_missing",
       "{ports: [{zone: a}, {zone: b}]}",
       {{kRequired, "ports[0].port", "schema.required"},
        {kDuplicate, "ports[1]", "schema.duplicate-item"},
        {kRequired, "ports[1].port", "schema.required"}}},
      {"each_key_is_reported_once",
       "{ports: [{port: 1}, {port: 1}, {port: 1}, {port: 2}, {port: 2}]}",
       {{kDuplicate, "ports[1]", "schema.duplicate-item"},
        {kDuplicate, "ports[4]", "schema.duplicate-item"}}},
      {"set", "{set: [a, b]}"},
      {"set_with_a_duplicate", "{set: [a, b, a]}",
       one(kDuplicate, "set[2]", "schema.duplicate-item")},
      {"atomic_lists_may_repeat", "{names: [a, a]}"},
      {"several_findings",
       "{colour: red, count: x, wor: 1}",
       {{kNotSupported, "colour", "schema.enum"},
        {kTypeInvalid, "count", "schema.type"},
        {kInvalid, "wor", "schema.unknown-field"}}},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, KeywordTest, testing::ValuesIn(rows()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(KeyedLists, ListsOfAnyLengthAreCompared) {
  std::string ports;
  for (int port = 1; port <= 40; ++port) ports += "{port: " + std::to_string(port) + "}, ";
  EXPECT_THAT(findings_of_value(kAll, "{ports: [" + ports + "]}"), IsEmpty());
  EXPECT_THAT(findings_of_value(kAll, "{ports: [" + ports + "{port: 7}]}"),
              ElementsAre(Finding{kDuplicate, "ports[40]", "schema.duplicate-item"}));
}

TEST(Findings, FindingsAboveTheLimitAreCounted) {
  std::string names;
  for (int i = 0; i < 150; ++i) names += "1, ";
  api::ErrorList findings;
  const json::Document object = from_yaml("{names: [" + names + "]}");
  schema::validate_value(kAll, object.root(), {}, findings);
  EXPECT_EQ(findings.errors().size(), api::kMaxErrors);
  EXPECT_EQ(findings.omitted_errors(), 50U);
}

}  // namespace
}  // namespace dynamo::test

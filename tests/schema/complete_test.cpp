// The object as the API server would store it.
#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "schema/complete.hpp"
#include "tests/schema/validation_helpers.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

constexpr Schema kString{.type = Type::kString};
constexpr Schema kInteger{.type = Type::kInteger};
constexpr Schema kNullable{.type = Type::kString, .nullable = true};
constexpr Schema kStrings{.type = Type::kArray, .each = &kString};
constexpr Schema kTextDefault{.type = Type::kString, .default_value = R"("Auto")"};
constexpr Schema kEscapedDefault{.type = Type::kString, .default_value = R"("a\n\"b\"")"};
constexpr Schema kNumberDefault{.type = Type::kInteger, .default_value = "3600"};
constexpr Schema kFalseDefault{.type = Type::kBoolean, .default_value = "false"};
constexpr Schema kListDefault{
    .type = Type::kArray, .each = &kString, .default_value = R"(["a long enough text","b"])"};

constexpr Property kInnerProperties[] = {
    {"count", &kNumberDefault}, {"mode", &kTextDefault}, {"name", &kString}};
constexpr Schema kInner{.type = Type::kObject, .properties = kInnerProperties};
constexpr Schema kInnerDefault{.type = Type::kObject,
                               .properties = kInnerProperties,
                               .default_value = R"({"name":"by default","pruned":1})"};
constexpr Schema kInnerList{.type = Type::kArray, .each = &kInner};
constexpr Schema kInnerMap{.type = Type::kObject, .each = &kInner};
constexpr Schema kDefaultMap{.type = Type::kObject, .each = &kTextDefault};
constexpr Property kOpenProperties[] = {{"inner", &kInner}};
constexpr Schema kOpen{
    .type = Type::kObject, .preserve_unknown = true, .properties = kOpenProperties};
constexpr Schema kAny{.type = Type::kAny};

constexpr Property kAnyProperties[] = {{"any", &kAny}};
constexpr Schema kWithAny{.type = Type::kObject, .properties = kAnyProperties};
constexpr Property kListProperties[] = {{"inners", &kInnerList}, {"map", &kInnerMap},
                                        {"names", &kStrings},    {"nullable", &kNullable},
                                        {"open", &kOpen},        {"texts", &kDefaultMap}};
constexpr Schema kLists{.type = Type::kObject, .properties = kListProperties};
constexpr Property kDefaultProperties[] = {{"flag", &kFalseDefault},
                                           {"inner", &kInnerDefault},
                                           {"list", &kListDefault},
                                           {"number", &kInteger},
                                           {"text", &kEscapedDefault}};
constexpr Schema kDefaults{.type = Type::kObject, .properties = kDefaultProperties};

TEST(Completion, PrunesUnknownFields) {
  EXPECT_EQ(completed_value(kLists, "{unknown: {a: 1}, names: [a]}"), R"({"names":["a"]})");
  EXPECT_EQ(completed_value(kLists, "{map: {a: {name: x, unknown: 1, mode: m, count: 1}}}"),
            R"({"map":{"a":{"name":"x","mode":"m","count":1}}})");
}

TEST(Completion, DropsDisallowedNulls) {
  EXPECT_EQ(completed_value(kLists, "{names: null, nullable: null, map: {a: null}}"),
            R"({"nullable":null,"map":{}})");
}

TEST(Completion, KeepsNullInLists) {
  EXPECT_EQ(completed_value(kLists, "{names: [null, a]}"), R"({"names":[null,"a"]})");
}

TEST(Completion, AppendsDefaults) {
  EXPECT_EQ(completed_value(kInner, "{name: x}"), R"({"name":"x","count":3600,"mode":"Auto"})");
  EXPECT_EQ(completed_value(kInner, "{mode: null, count: 1}"), R"({"count":1,"mode":"Auto"})");
  EXPECT_EQ(completed_value(kInner, "{mode: Manual, count: 0}"), R"({"mode":"Manual","count":0})");
}

TEST(Completion, SetsDefaultsInListsAndMaps) {
  EXPECT_EQ(completed_value(kLists, "{inners: [{}, {count: 1}], map: {a: {}}}"),
            R"({"inners":[{"count":3600,"mode":"Auto"},{"count":1,"mode":"Auto"}],)"
            R"("map":{"a":{"count":3600,"mode":"Auto"}}})");
  EXPECT_EQ(completed_value(kLists, "{texts: {a: null, b: x}}"),
            R"({"texts":{"a":"Auto","b":"x"}})");
}

TEST(Completion, CompletesDefaults) {
  EXPECT_EQ(completed_value(kDefaults, "{}"),
            R"({"flag":false,"inner":{"name":"by default","count":3600,"mode":"Auto"},)"
            R"("list":["a long enough text","b"],"text":"a\n\"b\""})");
}

TEST(Completion, KeepsUnknownFieldsIfTheSchemaPreservesThem) {
  EXPECT_EQ(completed_value(kLists, "{open: {a: {b: null}, inner: {c: 1, count: 1}}}"),
            R"({"open":{"a":{"b":null},"inner":{"count":1,"mode":"Auto"}}})");
  EXPECT_EQ(completed_value(kWithAny, "{any: {a: [null, {}]}}"), R"({"any":{"a":[null,{}]}})");
}

TEST(Completion, KeepsTheLastDuplicateField) {
  EXPECT_EQ(completed_value(kInner, "{mode: a, name: b, mode: c, count: 1}"),
            R"({"name":"b","mode":"c","count":1})");
  EXPECT_EQ(completed_value(kWithAny, "{any: {a: 1, b: 2, a: 3}}"), R"({"any":{"b":2,"a":3}})");
}

TEST(Completion, KeepsMistypedValuesWithoutTheirFields) {
  EXPECT_EQ(completed_value(kLists, "{names: 7, map: [x, [{a: 1}]], inners: {a: 1}}"),
            R"({"names":7,"map":["x",[{}]],"inners":{}})");
  EXPECT_EQ(completed_value(kInner, "[1]"), "[1]");
}

TEST(Completion, IsIdempotent) {
  for (const char* const text :
       {"{}", "{inners: [{}, null], map: {a: {}, b: null}, open: {a: 1, inner: {}}, x: 1}",
        "{names: {}, texts: {a: null}}"}) {
    const std::string once = completed_value(kLists, text);
    EXPECT_EQ(completed_value(kLists, once), once);
  }
}

TEST(Completion, CopiesTheStatusOfTheStoredObject) {
  const std::string head =
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModel","metadata":{"name":"a"},)"
      R"("spec":{"modelName":"m","baseModelName":"b","modelType":"base"})";
  EXPECT_EQ(completed_object("DynamoModel", head + R"(,"status":{"readyEndpoints":1}})"),
            head + "}");
  EXPECT_EQ(completed_object("DynamoModel", head + R"(,"status":{"readyEndpoints":1}})",
                             R"({"status":{"readyEndpoints":2}})"),
            head + R"(,"status":{"readyEndpoints":2}})");
  EXPECT_EQ(completed_object("DynamoModel", head + "}", R"({"spec":{}})"), head + "}");
}

TEST(Completion, ReadsMetadataLikeTheApiServer) {
  EXPECT_EQ(completed_object("DynamoModel",
                             "{metadata: {name: a, creationTimestamp: null, unknown: 1, "
                             "labels: {a: null}, annotations: null}}"),
            R"({"metadata":{"name":"a","labels":{"a":""}}})");
}

TEST(Completion, DropsServerFieldsOfNewObjects) {
  const std::string head = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModel",)";
  const std::string spec = R"("spec":{"baseModelName":"b","modelName":"a","modelType":"base"}})";
  const std::string exported =
      head + R"("metadata":{"name":"m","uid":"u","resourceVersion":"5","generation":7,)" +
      R"("creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[],"labels":{"uid":"l"}},)" +
      spec;
  EXPECT_EQ(completed_object("DynamoModel", exported),
            head + R"("metadata":{"name":"m","labels":{"uid":"l"}},)" + spec);
  EXPECT_EQ(completed_object("DynamoModel", exported, exported), exported);
}

TEST(Completion, IsEmptyForNonObjects) {
  EXPECT_EQ(completed_object("DynamoModel", "[]"), "");
}

TEST(Completion, RefersOnlyToDocumentedTexts) {
  json::Document out;
  const json::Document given = from_yaml("{}");
  { schema::complete_value(kDefaults, given.root(), out); }
  EXPECT_EQ(out.root()["list"].size(), 2U);
  EXPECT_EQ(out.root()["inner"]["name"].string(), "by default");
}

TEST(Completion, ClearsPreviousContent) {
  json::Document out;
  const json::Document given = from_yaml("{name: a}");
  schema::complete_value(kInner, given.root(), out);
  schema::complete_value(kInner, {}, out);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace dynamo::test

// Defaulting sets its fields, nothing else, and nothing twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "defaulters/catalog.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "json/writer.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::defaulters {
namespace {

using api::Operation;

const api::Settings kSettings{
    .operator_version = "1.2.3", .operator_service_account = {}, .restricted_namespace = ""};

api::Context context(Operation operation, api::Kind kind) {
  static const api::ClusterFacts facts;
  return {.kind = kind,
          .operation = operation,
          .namespace_name = "default",
          .object_name = "example",
          .user = "jane",
          .sub_resource = {},
          .settings = kSettings,
          .facts = facts};
}

std::string patch_for(json::Value object, Operation operation,
                      api::Kind kind = api::Kind::kGraphDeployment, json::Value old = {}) {
  json::PatchWriter patch;
  apply_defaults(context(operation, kind), object, old, patch);
  return std::string(patch.text());
}

std::string patch_for(std::string_view yaml, Operation operation) {
  const json::Document object = test::from_yaml(yaml);
  return patch_for(object.root(), operation);
}

std::string patched(json::Value object, const std::string& patch) {
  const auto parsed = json::parse_copy(patch);
  json::Document result;
  const auto failure = json::apply_patch(object, parsed->root(), result);
  EXPECT_EQ(failure, std::nullopt) << patch;
  return json::to_text(result.root());
}

struct Row {
  std::string_view name;
  std::string_view rule;  // the rule that the row checks
  Operation operation;
  std::string_view object;
  std::string_view patch;
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

constexpr std::string_view kVersion = "dgd.default.origin-version";
constexpr std::string_view kReplicas = "dgd.default.replicas";

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"no_annotations_yet", kVersion, Operation::kCreate, "{metadata: {name: a}, spec: {}}",
       R"([{"op":"add","path":"/metadata/annotations",)"
       R"("value":{"nvidia.com/dynamo-operator-origin-version":"1.2.3"}}])"},
      {"null_annotations", kVersion, Operation::kCreate, "{metadata: {annotations: null}}",
       R"([{"op":"add","path":"/metadata/annotations",)"
       R"("value":{"nvidia.com/dynamo-operator-origin-version":"1.2.3"}}])"},
      {"empty_annotations", kVersion, Operation::kCreate, "{metadata: {annotations: {}}}",
       R"([{"op":"add","path":"/metadata/annotations/nvidia.com~1dynamo-operator-origin-version",)"
       R"("value":"1.2.3"}])"},
      {"other_annotations", kVersion, Operation::kCreate, "{metadata: {annotations: {a: b}}}",
       R"([{"op":"add","path":"/metadata/annotations/nvidia.com~1dynamo-operator-origin-version",)"
       R"("value":"1.2.3"}])"},
      {"a_users_version", kVersion, Operation::kCreate,
       "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: 0.1.0}}}", "[]"},
      {"a_users_empty_version", kVersion, Operation::kCreate,
       "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: ''}}}", "[]"},
      {"no_version_on_update", kVersion, Operation::kUpdate, "{metadata: {name: a}}", "[]"},
      {"annotations_of_wrong_type", kVersion, Operation::kCreate, "{metadata: {annotations: 7}}",
       "[]"},
      {"no_metadata", kVersion, Operation::kCreate, "{spec: {}}", "[]"},
      {"metadata_of_wrong_type", kVersion, Operation::kCreate, "{metadata: []}", "[]"},

      {"no_replicas", kReplicas, Operation::kUpdate, "{spec: {services: {A: {}}}}",
       R"([{"op":"add","path":"/spec/services/A/replicas","value":1}])"},
      {"null_replicas", kReplicas, Operation::kUpdate, "{spec: {services: {A: {replicas: null}}}}",
       R"([{"op":"add","path":"/spec/services/A/replicas","value":1}])"},
      {"zero_replicas", kReplicas, Operation::kUpdate, "{spec: {services: {A: {replicas: 0}}}}",
       "[]"},
      {"replicas_of_wrong_type", kReplicas, Operation::kUpdate,
       "{spec: {services: {A: {replicas: '1'}}}}", "[]"},
      {"only_the_services_that_need_it", kReplicas, Operation::kUpdate,
       "{spec: {services: {A: {replicas: 2}, B: {}, C: {replicas: 1}, D: {}}}}",
       R"([{"op":"add","path":"/spec/services/B/replicas","value":1},)"
       R"({"op":"add","path":"/spec/services/D/replicas","value":1}])"},
      {"a_name_with_slash_and_tilde", kReplicas, Operation::kUpdate,
       "{spec: {services: {'a/b~c': {}}}}",
       R"([{"op":"add","path":"/spec/services/a~1b~0c/replicas","value":1}])"},
      {"an_empty_name", kReplicas, Operation::kUpdate, "{spec: {services: {'': {}}}}",
       R"([{"op":"add","path":"/spec/services//replicas","value":1}])"},
      {"a_name_with_a_quote", kReplicas, Operation::kUpdate, "{spec: {services: {'a\"b': {}}}}",
       R"([{"op":"add","path":"/spec/services/a\"b/replicas","value":1}])"},
      {"a_null_service", kReplicas, Operation::kUpdate, "{spec: {services: {A: null}}}", "[]"},
      {"services_of_wrong_type", kReplicas, Operation::kUpdate, "{spec: {services: [{}]}}", "[]"},
      {"no_spec", kReplicas, Operation::kUpdate, "{metadata: {}}", "[]"},

      {"both_on_create", kReplicas, Operation::kCreate,
       "{metadata: {name: a}, spec: {services: {A: {}}}}",
       R"([{"op":"add","path":"/metadata/annotations",)"
       R"("value":{"nvidia.com/dynamo-operator-origin-version":"1.2.3"}},)"
       R"({"op":"add","path":"/spec/services/A/replicas","value":1}])"},
      {"nothing_on_delete", kReplicas, Operation::kDelete, "{spec: {services: {A: {}}}}", "[]"},
  };
  return all;
}

class DefaultsTest : public testing::TestWithParam<Row> {};

TEST_P(DefaultsTest, PatchIsMinimal) {
  EXPECT_EQ(patch_for(GetParam().object, GetParam().operation), GetParam().patch);
}

TEST_P(DefaultsTest, SecondRunAddsNothing) {
  const json::Document object = test::from_yaml(GetParam().object);
  const std::string patch = patch_for(object.root(), GetParam().operation);
  const auto once = json::parse_copy(patched(object.root(), patch));
  EXPECT_EQ(patch_for(once->root(), GetParam().operation), "[]");
}

INSTANTIATE_TEST_SUITE_P(With, DefaultsTest, testing::ValuesIn(rows()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(DefaultsCatalog, ContainsExactlyTheseDefaults) {
  std::vector<std::string> ids;
  for (const Default& row : catalog()) {
    ids.emplace_back(row.id);
    EXPECT_FALSE(row.field.empty()) << row.id;
    EXPECT_FALSE(row.summary.empty()) << row.id;
  }
  EXPECT_THAT(ids, testing::ElementsAre("dgd.default.origin-version", "dgd.default.replicas"));
}

TEST(DefaultsCatalog, EachDefaultHasSettingAndSilentCases) {
  for (const Default& row : catalog()) {
    for (const bool sets : {true, false}) {
      EXPECT_TRUE(std::ranges::any_of(
          rows(),
          [&](const Row& known) { return known.rule == row.id && (known.patch != "[]") == sets; }))
          << row.id << (sets ? " has no row that sets it" : " has no row that leaves it");
    }
  }
}

TEST(Defaults, UpdateKeepsReplicasOfScalingAdapter) {
  const auto updated = [](std::string_view now, std::string_view before) {
    const auto graph = [](std::string_view service) {
      return json::parse_copy(R"({"metadata":{"name":"g"},"spec":{"services":{"a":)" +
                              std::string(service) + "}}}");
    };
    return patch_for(graph(now)->root(), Operation::kUpdate, api::Kind::kGraphDeployment,
                     graph(before)->root());
  };
  constexpr std::string_view kAdapted = R"({"scalingAdapter":{"enabled":true}})";
  constexpr std::string_view kFive = R"({"replicas":5,"scalingAdapter":{"enabled":true}})";
  constexpr std::string_view kKept =
      R"([{"op":"add","path":"/spec/services/a/replicas","value":5}])";
  constexpr std::string_view kOne =
      R"([{"op":"add","path":"/spec/services/a/replicas","value":1}])";
  EXPECT_EQ(updated(kAdapted, kFive), kKept);
  EXPECT_EQ(updated("{}", kFive), kKept) << "switched off, which is no reason to scale";
  EXPECT_EQ(updated(kAdapted, R"({"replicas":5})"), kKept) << "switched on";
  EXPECT_EQ(updated("{}", R"({"replicas":5})"), kOne);
  EXPECT_EQ(updated(kAdapted, kAdapted), kOne);
  EXPECT_EQ(updated(kAdapted, R"({"replicas":"5"})"), kOne) << "no number";
  EXPECT_EQ(updated(R"({"replicas":2,"scalingAdapter":{"enabled":true}})", kFive), "[]");
}

TEST(Defaults, OtherKindsGetNoDefaults) {
  const json::Document object = test::from_yaml("{metadata: {}, spec: {services: {A: {}}}}");
  for (const api::KindNames& kind : api::kKinds) {
    const std::string patch = patch_for(object.root(), Operation::kCreate, kind.kind);
    EXPECT_EQ(patch == "[]", kind.kind != api::Kind::kGraphDeployment) << kind.name;
  }
}

// Records the view with which the default was called, and the old object.
template <typename View>
void name_view(std::string_view view, const View& old, json::PatchWriter& patch) {
  const std::string text =
      std::string(view) + " after " + std::string(old.spec()["was"].string_or_empty());
  patch.add("/metadata/name", [&](json::Writer& value) { value.string(text); });
}

constexpr std::array kOneForEachKind = std::to_array<Default>({
    {{"a", api::Kind::kGraphDeployment, false, true, "", ""},
     [](const api::Context&, const api::GraphDeployment&, const api::GraphDeployment& old,
        json::PatchWriter& patch) { name_view("graph", old, patch); }},
    {{"b", api::Kind::kComponentDeployment, false, true, "", ""},
     [](const api::Context&, const api::ComponentDeployment&, const api::ComponentDeployment& old,
        json::PatchWriter& patch) { name_view("component", old, patch); }},
    {{"c", api::Kind::kModel, false, true, "", ""},
     [](const api::Context&, const api::Model&, const api::Model& old, json::PatchWriter& patch) {
       name_view("model", old, patch);
     }},
    {{"d", api::Kind::kGraphDeploymentRequest, false, true, "", ""},
     [](const api::Context&, const api::GraphDeploymentRequest&,
        const api::GraphDeploymentRequest& old,
        json::PatchWriter& patch) { name_view("request", old, patch); }},
    {{"e", api::Kind::kCheckpoint, false, true, "", ""},
     [](const api::Context&, const api::Checkpoint&, const api::Checkpoint& old,
        json::PatchWriter& patch) { name_view("checkpoint", old, patch); }},
    {{"f", api::Kind::kScalingAdapter, false, true, "", ""},
     [](const api::Context&, const api::Object&, const api::Object& old, json::PatchWriter& patch) {
       name_view("any object", old, patch);
     }},
});

TEST(Defaults, FunctionGetsTypedNewAndOldObjects) {
  constexpr std::array<std::string_view, api::kKindCount> kSeen{
      "graph", "component", "model", "request", "checkpoint", "any object"};
  const json::Document object = test::from_yaml("{spec: {}}");
  const json::Document old = test::from_yaml("{spec: {was: this}}");
  for (const api::KindNames& kind : api::kKinds) {
    json::PatchWriter patch;
    apply_defaults(kOneForEachKind, context(Operation::kUpdate, kind.kind), object.root(),
                   old.root(), patch);
    EXPECT_EQ(patch.text(), R"([{"op":"add","path":"/metadata/name","value":")" +
                                std::string(kSeen[static_cast<std::size_t>(kind.kind)]) +
                                R"( after this"}])")
        << kind.name;
    json::PatchWriter none;
    apply_defaults(kOneForEachKind, context(Operation::kCreate, kind.kind), object.root(), {},
                   none);
    EXPECT_TRUE(none.empty()) << kind.name;
  }
}

TEST(Defaults, KindMatchesFunctionView) {
  for (const Default& row : kOneForEachKind) {
    for (const api::KindNames& kind : api::kKinds) {
      const bool is_for_all = row.kind == api::Kind::kScalingAdapter;
      EXPECT_EQ(reads_kind(row.function, kind.kind), is_for_all || kind.kind == row.kind)
          << row.id << kind.name;
    }
  }
}

TEST(Defaults, OtherAnnotationsAreKept) {
  const json::Document object = test::from_yaml("{metadata: {annotations: {a: b, c: d}}}");
  EXPECT_EQ(patched(object.root(), patch_for(object.root(), Operation::kCreate)),
            R"({"metadata":{"annotations":{"a":"b","c":"d",)"
            R"("nvidia.com/dynamo-operator-origin-version":"1.2.3"}}})");
}

TEST(Defaults, LastDuplicateServiceIsDefaulted) {
  const auto object = json::parse_copy(R"({"spec":{"services":{"A":{},"A":{"replicas":2}}}})");
  EXPECT_EQ(patch_for(object->root(), Operation::kUpdate), "[]");
}

std::string graph_of(int services) {
  std::string text = R"({"spec":{"services":{)";
  for (int i = 0; i < services; ++i) {
    text += "\"s" + std::to_string(i) + R"(":{"a":[1,"b",null,2.5]},)";
  }
  return text + R"("last":{"replicas":null,"z":{}},"other":{"replicas":5},"null":null}}})";
}

// The API allows 25 services; the schema refuses more, regardless of defaulting.
TEST(Defaults, TooManyServicesAreNotDefaulted) {
  for (const auto& [services, operations] : {std::pair{61, 62U}, std::pair{62, 0U}, {500, 0U}}) {
    SCOPED_TRACE(services);
    const auto object = json::parse_copy(graph_of(services));  // plus three more
    const auto patch = json::parse_copy(patch_for(object->root(), Operation::kUpdate));
    EXPECT_EQ(patch->root().size(), operations);
  }
}

TEST(Defaults, OtherFieldsStayUnchanged) {
  const auto object = json::parse_copy(
      R"({"metadata":{},"spec":{"services":{"A":{"x":12345678901234567890,"y":1.10,"z":1E2}}}})");
  EXPECT_EQ(patch_for(object->root(), Operation::kUpdate),
            R"([{"op":"add","path":"/spec/services/A/replicas","value":1}])");
}

TEST(Defaults, SecondRunOnSamplesAddsNothing) {
  std::size_t graphs = 0;
  for (const auto& path : test::files_below(test::testdata("../../deploy/samples"), ".yaml")) {
    SCOPED_TRACE(path.filename().string());
    const json::Document object = test::from_yaml(test::read_file(path));
    if (object.root()["kind"].string() != "DynamoGraphDeployment") continue;
    ++graphs;
    for (const Operation operation : {Operation::kCreate, Operation::kUpdate}) {
      const auto once =
          json::parse_copy(patched(object.root(), patch_for(object.root(), operation)));
      EXPECT_EQ(patch_for(once->root(), operation), "[]");
    }
  }
  EXPECT_GE(graphs, 12U);
}

}  // namespace
}  // namespace dynamo::defaulters

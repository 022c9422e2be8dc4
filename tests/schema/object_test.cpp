// Checks of whole objects: apiVersion, kind, metadata, status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/schema/validation_helpers.hpp"

namespace dynamo::test {
namespace {

using enum api::ErrorType;

constexpr const char* kModel = "DynamoModel";
constexpr const char* kSpec = "{modelName: m, baseModelName: b}";

struct Row {
  const char* name;
  std::string metadata;
  std::vector<Finding> findings = {};
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.metadata.substr(0, 200);
}

std::string model_with(const std::string& metadata) {
  return "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: " + metadata +
         ", spec: " + kSpec + "}";
}

class MetadataTest : public testing::TestWithParam<Row> {};

TEST_P(MetadataTest, MatchesTheApiServer) {
  EXPECT_EQ(validate_object(kModel, model_with(GetParam().metadata)), GetParam().findings);
}

std::vector<Row> rows() {
  const auto one = [](api::ErrorType type, const char* field, const char* rule) {
    return std::vector<Finding>{{type, field, rule}};
  };
  const std::string long_name(254, 'a');
  const std::string large(131072, 'a');
  return {
      {"name", "{name: a.b-c}"},
      {"longest_name", "{name: " + long_name.substr(1) + "}"},
      {"too_long_name", "{name: " + long_name + "}",
       one(kInvalid, "metadata.name", "metadata.name")},
      {"upper_case_name", "{name: A}", one(kInvalid, "metadata.name", "metadata.name")},
      {"no_name", "{}", one(kRequired, "metadata.name", "metadata.name")},
      {"null_name", "{name: null}", one(kRequired, "metadata.name", "metadata.name")},
      {"empty_name", "{name: ''}", one(kRequired, "metadata.name", "metadata.name")},
      {"null_metadata", "null", one(kRequired, "metadata.name", "metadata.name")},
      {"name_as_number", "{name: 7}", one(kTypeInvalid, "metadata.name", "schema.type")},
      {"generate_name", "{generateName: a-}"},
      {"bad_generate_name", "{generateName: A-}",
       one(kInvalid, "metadata.generateName", "metadata.generate-name")},
      {"namespace", "{name: a, namespace: b}"},
      {"namespace_with_a_dot", "{name: a, namespace: b.c}",
       one(kInvalid, "metadata.namespace", "metadata.namespace")},
      {"labels", "{name: a, labels: {a: b, nvidia.com/c: '', d: null}}"},
      {"label_key", "{name: a, labels: {/a: b}}",
       one(kInvalid, "metadata.labels[/a]", "metadata.labels")},
      {"label_value", "{name: a, labels: {a: b c}}",
       one(kInvalid, "metadata.labels[a]", "metadata.labels")},
      {"label_as_number", "{name: a, labels: {a: 7}}",
       one(kTypeInvalid, "metadata.labels[a]", "schema.type")},
      {"duplicate_label", "{name: a, labels: {a: b, a: c}}",
       one(kDuplicate, "metadata.labels[a]", "schema.duplicate-field")},
      {"annotations", "{name: a, annotations: {Nvidia.com/A: 'x y'}}"},
      {"annotation_key", "{name: a, annotations: {a b: c}}",
       one(kInvalid, "metadata.annotations[a b]", "metadata.annotations")},
      {"most_annotations",
       "{name: a, annotations: {a: " + large + ", b: " + large.substr(2) + "}}"},
      {"too_many_annotations",
       "{name: a, annotations: {a: " + large + ", b: " + large.substr(1) + "}}",
       one(kTooLong, "metadata.annotations", "metadata.annotations")},
      {"finalizers", "{name: a, finalizers: [nvidia.com/finalizer, orphan]}"},
      {"bad_finalizer", "{name: a, finalizers: [a/b/c]}",
       one(kInvalid, "metadata.finalizers[0]", "metadata.finalizers")},
      {"null_finalizer", "{name: a, finalizers: [null]}",
       one(kInvalid, "metadata.finalizers[0]", "metadata.finalizers")},
      {"finalizers_against_each_other", "{name: a, finalizers: [orphan, foregroundDeletion]}",
       one(kInvalid, "metadata.finalizers", "metadata.finalizers")},
      {"owner",
       "{name: a, ownerReferences: [{apiVersion: apps/v1, kind: A, name: a, uid: u1, "
       "controller: true}, {apiVersion: v1, kind: B, name: b, uid: u2}]}"},
      {"owner_without_uid", "{name: a, ownerReferences: [{apiVersion: v1, kind: A, name: a}]}",
       one(kInvalid, "metadata.ownerReferences[0].uid", "metadata.owner-references")},
      {"owner_of_no_version",
       "{name: a, ownerReferences: [{apiVersion: apps/, kind: A, name: a, uid: u1}]}",
       one(kInvalid, "metadata.ownerReferences[0].apiVersion", "metadata.owner-references")},
      {"two_controllers",
       "{name: a, ownerReferences: [{apiVersion: v1, kind: A, name: a, uid: u1, "
       "controller: true}, {apiVersion: v1, kind: B, name: b, uid: u2, controller: true}]}",
       one(kInvalid, "metadata.ownerReferences", "metadata.owner-references")},
      {"unknown_field", "{name: a, label: {a: b}}",
       one(kInvalid, "metadata.label", "schema.unknown-field")},
      {"creation_timestamp", "{name: a, creationTimestamp: null}"},
      {"bad_timestamp", "{name: a, creationTimestamp: '2025-01-31 12:00:00'}",
       one(kInvalid, "metadata.creationTimestamp", "schema.format")},
      {"metadata_as_list", "[]", one(kTypeInvalid, "metadata", "schema.type")},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, MetadataTest, testing::ValuesIn(rows()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Metadata, UpdateUsesTheStoredName) {
  EXPECT_EQ(validate_object(kModel, model_with("{name: A, finalizers: [a/b/c]}"), model_with("{}")),
            std::vector<Finding>{});
}

TEST(TypeMeta, MustMatchTheResource) {
  const auto validate_head = [](const std::string& head) {
    return validate_object(kModel, "{" + head + "metadata: {name: a}, spec: " + kSpec + "}");
  };
  EXPECT_EQ(validate_head(""),
            (std::vector<Finding>{{kRequired, "apiVersion", "schema.api-version"},
                                  {kRequired, "kind", "schema.kind"}}));
  EXPECT_EQ(validate_head("apiVersion: nvidia.com/v1, kind: DynamoModel, "),
            (std::vector<Finding>{{kInvalid, "apiVersion", "schema.api-version"}}));
  EXPECT_EQ(validate_head("apiVersion: nvidia.com/v1alpha1, kind: dynamomodel, "),
            (std::vector<Finding>{{kInvalid, "kind", "schema.kind"}}));
  EXPECT_EQ(validate_head("apiVersion: 1, kind: [], "),
            (std::vector<Finding>{{kTypeInvalid, "apiVersion", "schema.type"},
                                  {kTypeInvalid, "kind", "schema.type"}}));
}

TEST(Status, IsCheckedOnlyForFieldNames) {
  const std::string model =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {name: a}, spec: " +
      std::string(kSpec) + ", status: ";
  EXPECT_EQ(validate_object(kModel, model + "{readyEndpoints: many, conditions: [{type: 7}]}}"),
            std::vector<Finding>{});
  EXPECT_EQ(validate_object(kModel, model + "[]}"), std::vector<Finding>{});
  EXPECT_EQ(
      validate_object(kModel, model + "{readyEndpoints: 1, readyEndpoints: 2, "
                                      "conditions: [{typ: a}]}}"),
      (std::vector<Finding>{{kInvalid, "status.conditions[0].typ", "schema.unknown-field"},
                            {kDuplicate, "status.readyEndpoints", "schema.duplicate-field"}}));
}

TEST(Objects, RequireASpec) {
  for (const schema::Resource& resource : schema::resources()) {
    const std::string object =
        "{apiVersion: nvidia.com/v1alpha1, kind: " + std::string(resource.kind) +
        ", metadata: {name: a}}";
    EXPECT_EQ(validate_object(resource.kind, object),
              (std::vector<Finding>{{kRequired, "spec", "schema.required"}}));
  }
}

TEST(Objects, MustBeObjects) {
  EXPECT_EQ(validate_object(kModel, "[]"),
            (std::vector<Finding>{{kTypeInvalid, "", "schema.type"}}));
}

TEST(Objects, RefuseUnknownFields) {
  EXPECT_EQ(validate_object(kModel,
                            "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, "
                            "metadata: {name: a}, spec: {modelName: m, baseModelName: b}, "
                            "sepc: {}}"),
            (std::vector<Finding>{{kInvalid, "sepc", "schema.unknown-field"}}));
}

}  // namespace
}  // namespace dynamo::test

// The x-kubernetes-validations rules.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/schema/validation_helpers.hpp"

namespace dynamo::test {
namespace {

using enum api::ErrorType;

struct Row {
  const char* name;
  const char* spec;
  bool holds;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.spec;
}

class CheckpointSourceTest : public testing::TestWithParam<Row> {};

TEST_P(CheckpointSourceTest, AppliesToGraphsAndComponents) {
  const std::string checkpoint = std::string("{checkpoint: ") + GetParam().spec + "}";
  const auto findings = [&](const char* field) {
    std::vector<Finding> wanted;
    if (!GetParam().holds) wanted.push_back({kInvalid, field, "schema.cel.checkpoint-source"});
    return wanted;
  };
  EXPECT_EQ(validate_spec("DynamoGraphDeployment", "{services: {A: " + checkpoint + "}}"),
            findings("spec.services[A].checkpoint"));
  EXPECT_EQ(validate_spec("DynamoComponentDeployment", checkpoint), findings("spec.checkpoint"));
}

INSTANTIATE_TEST_SUITE_P(
    Of, CheckpointSourceTest,
    testing::Values(Row{"not_enabled", "{}", true}, Row{"disabled", "{enabled: false}", true},
                    Row{"enabled_alone", "{enabled: true}", false},
                    Row{"reference", "{enabled: true, checkpointRef: a}", true},
                    Row{"empty_reference", "{enabled: true, checkpointRef: ''}", false},
                    Row{"null_reference", "{enabled: true, checkpointRef: null}", false},
                    Row{"identity", "{enabled: true, identity: {model: m, backendFramework: vllm}}",
                        true},
                    Row{"empty_reference_and_identity",
                        "{enabled: true, checkpointRef: '', identity: {model: m, "
                        "backendFramework: vllm}}",
                        true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CheckpointSource, IgnoresValuesOfTheWrongType) {
  EXPECT_EQ(validate_spec("DynamoComponentDeployment",
                          "{checkpoint: {enabled: true, checkpointRef: 7, identity: 8}}"),
            (std::vector<Finding>{{kTypeInvalid, "spec.checkpoint.checkpointRef", "schema.type"},
                                  {kTypeInvalid, "spec.checkpoint.identity", "schema.type"}}));
}

class ClaimCreationTest : public testing::TestWithParam<Row> {};

TEST_P(ClaimCreationTest, RequiresThreeFields) {
  std::vector<Finding> wanted;
  if (!GetParam().holds) {
    wanted.push_back({kInvalid, "spec.pvcs[0]", "schema.cel.claim-creation"});
  }
  EXPECT_EQ(validate_spec("DynamoGraphDeployment",
                          std::string("{pvcs: [{name: a, ") + GetParam().spec + "}]}"),
            wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ClaimCreationTest,
    testing::Values(Row{"not_created", "size: 1Gi", true}, Row{"false", "create: false", true},
                    Row{"alone", "create: true", false},
                    Row{"complete", "create: true, size: 1Gi, storageClass: a, volumeAccessMode: b",
                        true},
                    Row{"empty_texts_are_there",
                        "create: true, size: 0, storageClass: '', volumeAccessMode: ''", true},
                    Row{"no_size", "create: true, storageClass: a, volumeAccessMode: b", false},
                    Row{"no_class", "create: true, size: 1Gi, volumeAccessMode: b", false},
                    Row{"null_mode",
                        "create: true, size: 1Gi, storageClass: a, volumeAccessMode: null", false}),
    [](const auto& test) { return std::string(test.param.name); });

struct Change {
  const char* name;
  const char* old_identity;
  const char* identity;
  bool holds;
};

void PrintTo(const Change& change, std::ostream* out) {
  *out << change.old_identity << " -> " << change.identity;
}

std::string checkpoint_spec(const char* identity) {
  return std::string("{job: {podTemplateSpec: {}}, identity: ") + identity + "}";
}

class IdentityTest : public testing::TestWithParam<Change> {};

TEST_P(IdentityTest, NeverChanges) {
  std::vector<Finding> wanted;
  if (!GetParam().holds) {
    wanted.push_back({kInvalid, "spec.identity", "schema.cel.identity-unchanged"});
  }
  EXPECT_EQ(validate_spec("DynamoCheckpoint", checkpoint_spec(GetParam().identity),
                          checkpoint_spec(GetParam().old_identity)),
            wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Of, IdentityTest,
    testing::Values(Change{"same", "{model: m, backendFramework: vllm}",
                           "{backendFramework: vllm, model: m}", true},
                    Change{"default_written_out",
                           "{model: m, backendFramework: vllm, tensorParallelSize: 1}",
                           "{model: m, backendFramework: vllm, pipelineParallelSize: 1}", true},
                    Change{"null_is_absent", "{model: m, backendFramework: vllm}",
                           "{model: m, backendFramework: vllm, dtype: null}", true},
                    Change{"other_model", "{model: m, backendFramework: vllm}",
                           "{model: n1, backendFramework: vllm}", false},
                    Change{"other_than_the_default", "{model: m, backendFramework: vllm}",
                           "{model: m, backendFramework: vllm, tensorParallelSize: 2}", false},
                    Change{"one_parameter_more", "{model: m, backendFramework: vllm}",
                           "{model: m, backendFramework: vllm, extraParameters: {a: b}}", false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Identity, IsFreeOnCreate) {
  EXPECT_EQ(
      validate_spec("DynamoCheckpoint", checkpoint_spec("{model: m, backendFramework: vllm}")),
      std::vector<Finding>{});
}

TEST(Identity, FailsIfTheStoredCheckpointHasNoSpec) {
  const std::string now =
      object_of("DynamoCheckpoint", checkpoint_spec("{model: m, backendFramework: vllm}"));
  EXPECT_EQ(validate_object("DynamoCheckpoint", now,
                            "{apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, "
                            "metadata: {name: example}}"),
            (std::vector<Finding>{{kInvalid, "spec.identity", "schema.cel.identity-unchanged"}}));
}

}  // namespace
}  // namespace dynamo::test

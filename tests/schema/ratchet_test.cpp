// Values that an update leaves unchanged cause no schema finding.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/schema/validation_helpers.hpp"

namespace dynamo::test {
namespace {

using enum api::ErrorType;

constexpr const char* kGraph = "DynamoGraphDeployment";

struct Row {
  const char* name;
  const char* old_spec;
  const char* spec;
  std::vector<Finding> findings = {};
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.old_spec << " -> " << row.spec;
}

class RatchetTest : public testing::TestWithParam<Row> {};

TEST_P(RatchetTest, ReportsOnlyChanges) {
  EXPECT_EQ(validate_spec(kGraph, GetParam().spec, GetParam().old_spec), GetParam().findings);
}

std::vector<Row> rows() {
  const auto one = [](api::ErrorType type, const char* field, const char* rule) {
    return std::vector<Finding>{{type, field, rule}};
  };
  return {
      {"same_bad_enum", "{backendFramework: x}", "{backendFramework: x}"},
      {"other_bad_enum", "{backendFramework: x}", "{backendFramework: y1}",
       one(kNotSupported, "spec.backendFramework", "schema.enum")},
      {"same_bad_enum_and_another_change", "{backendFramework: x}",
       "{backendFramework: x, services: {A: {}}}"},
      {"same_field_of_the_same_service", "{services: {A: {replicas: -1}}}",
       "{services: {A: {replicas: -1, serviceName: a}, B: {}}}"},
      {"same_field_of_another_service", "{services: {A: {replicas: -1}}}",
       "{services: {B: {replicas: -1}}}",
       one(kInvalid, "spec.services[B].replicas", "schema.minimum")},
      {"order_of_members_does_not_matter", "{services: {A: {replicas: -1, serviceName: a}}}",
       "{services: {A: {serviceName: a, replicas: -1}}}"},
      {"defaults_count_as_written",
       "{services: {A: {multinode: {nodeCount: 2}, resources: {limits: {cpu: 7}}}}}",
       "{services: {A: {multinode: {}, resources: {limits: {cpu: 7}}}}}"},
      {"elements_of_atomic_lists_have_no_old_value", "{pvcs: [{name: 7}, {name: b}]}",
       "{pvcs: [{name: 7}, {name: c}]}", one(kTypeInvalid, "spec.pvcs[0].name", "schema.type")},
      {"an_atomic_list_that_is_the_same", "{pvcs: [{name: 7}, {name: b}]}",
       "{pvcs: [{name: 7}, {name: b}], services: {A: {}}}"},
      {"elements_of_keyed_lists_are_found_by_key",
       "{services: {A: {extraPodSpec: {containers: [{name: a}, {name: b, ports: "
       "[{containerPort: x}]}]}}}}",
       "{services: {A: {extraPodSpec: {containers: [{name: b, image: i, ports: "
       "[{containerPort: x}]}, {name: c}]}}}}"},
      {"element_with_a_new_key",
       "{services: {A: {extraPodSpec: {containers: [{name: b, tty: x}]}}}}",
       "{services: {A: {extraPodSpec: {containers: [{name: c, tty: x}]}}}}",
       one(kTypeInvalid, "spec.services[A].extraPodSpec.containers[0].tty", "schema.type")},
      {"missing_field_of_the_same_object",
       "{services: {A: {eppConfig: {configMapRef: {name: a}}}}}",
       "{services: {A: {eppConfig: {configMapRef: {name: a}}, replicas: 1}}}"},
      {"missing_field_of_a_changed_object",
       "{services: {A: {eppConfig: {configMapRef: {name: a}}}}}",
       "{services: {A: {eppConfig: {configMapRef: {name: b}}}}}",
       one(kRequired, "spec.services[A].eppConfig.configMapRef.key", "schema.required")},
      {"unknown_fields_are_reported", "{unknown: 1}", "{unknown: 1}",
       one(kInvalid, "spec.unknown", "schema.unknown-field")},
      {"duplicate_fields_are_reported", "{backendFramework: vllm, backendFramework: vllm}",
       "{backendFramework: vllm, backendFramework: vllm}",
       one(kDuplicate, "spec.backendFramework", "schema.duplicate-field")},
      {"fields_below_a_wrong_type_do_not_count", "{services: {A: {serviceName: {}}}}",
       "{services: {A: {serviceName: {a: 1}}}}",
       one(kInvalid, "spec.services[A].serviceName.a", "schema.unknown-field")},
      {"items_without_key_have_no_old_value",
       "{services: {A: {extraPodSpec: {hostAliases: [{hostnames: [a]}]}}}}",
       "{services: {A: {extraPodSpec: {hostAliases: [{hostnames: [a]}]}}}}",
       one(kRequired, "spec.services[A].extraPodSpec.hostAliases[0].ip", "schema.required")},
      {"scalar_items_have_no_old_value", "{services: {A: {extraPodSpec: {imagePullSecrets: [a]}}}}",
       "{services: {A: {extraPodSpec: {imagePullSecrets: [a]}}}}",
       one(kTypeInvalid, "spec.services[A].extraPodSpec.imagePullSecrets[0]", "schema.type")},
      {"free_fields_have_no_old_value",
       "{services: {A: {eppConfig: {config: {free: 1}}}}}",
       "{services: {A: {eppConfig: {config: {free: 1}}}}}",
       {{kRequired, "spec.services[A].eppConfig.config.plugins", "schema.required"},
        {kRequired, "spec.services[A].eppConfig.config.schedulingProfiles", "schema.required"}}},
      {"repetitions_where_there_were_some",
       "{services: {A: {extraPodSpec: {containers: [{name: a}, {name: a}]}}}}",
       "{services: {A: {extraPodSpec: {containers: [{name: b}, {name: b}]}}}}"},
      {"repetitions_where_there_were_none",
       "{services: {A: {extraPodSpec: {containers: [{name: a}]}}}}",
       "{services: {A: {extraPodSpec: {containers: [{name: a}, {name: a}]}}}}",
       one(kDuplicate, "spec.services[A].extraPodSpec.containers[1]", "schema.duplicate-item")},
      {"cel_rule_of_the_same_value", "{services: {A: {checkpoint: {enabled: true}}}}",
       "{services: {A: {checkpoint: {enabled: true}, replicas: 1}}}"},
      {"cel_rule_of_a_changed_value", "{services: {A: {checkpoint: {enabled: false}}}}",
       "{services: {A: {checkpoint: {enabled: true}}}}",
       one(kInvalid, "spec.services[A].checkpoint", "schema.cel.checkpoint-source")},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, RatchetTest, testing::ValuesIn(rows()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Ratcheting, AlwaysChecksApiVersionAndKind) {
  const std::string old = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {}}";
  EXPECT_EQ(validate_object(kGraph, old, old),
            (std::vector<Finding>{{kInvalid, "apiVersion", "schema.api-version"},
                                  {kInvalid, "kind", "schema.kind"}}));
}

TEST(Ratcheting, AlwaysChecksTypeOfApiVersion) {
  const std::string old =
      "{apiVersion: 7, kind: DynamoGraphDeployment, metadata: {name: a}, "
      "spec: {}}";
  EXPECT_EQ(validate_object(kGraph, old, old),
            (std::vector<Finding>{{kTypeInvalid, "apiVersion", "schema.type"}}));
}

TEST(Ratcheting, AlwaysChecksMetadata) {
  const std::string old =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, "
      "metadata: {name: a, labels: {a: 7}}, spec: {}}";
  EXPECT_EQ(validate_object(kGraph, old, old),
            (std::vector<Finding>{{kTypeInvalid, "metadata.labels[a]", "schema.type"}}));
}

// Each looks up its old value, which must not take longer the more there are.
TEST(Ratcheting, FindsOldValuesAmongMany) {
  std::string labels;
  std::string containers;
  std::string reversed;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "n" + std::to_string(i);
    std::string container = "{name: ";
    container.append(name).append(", tty: 1}, ");
    labels.append(name).append(": 1, ");
    containers += container;
    reversed.insert(0, container);
  }
  const auto spec = [&](const std::string& items, const char* image) {
    return "{services: {A: {labels: {" + labels +
           "}, extraPodSpec: {mainContainer: {image: " + image + "}, containers: [" + items +
           "]}}}}";
  };
  EXPECT_EQ(validate_spec(kGraph, spec(reversed, "a"), spec(containers, "b")),
            std::vector<Finding>{});
}

TEST(Ratcheting, AlwaysChecksRequiredTopLevelFields) {
  const std::string old =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, "
      "metadata: {name: a}}";
  EXPECT_EQ(validate_object(kGraph, old, old),
            (std::vector<Finding>{{kRequired, "spec", "schema.required"}}));
}

}  // namespace
}  // namespace dynamo::test

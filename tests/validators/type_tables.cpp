#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

// wrong_types_test.cpp tries every field with every wrong type; these are the boundary cases.
std::vector<RuleTable> type_tables() {
  return {{"type.mismatch", kGraphDeployment, {
      {.name = "all_right", .spec = "{services: {A: {replicas: 1}}}"},
      {.name = "unknown_fields_are_not_validated",
       .spec = "{unknown: [7], services: {A: {unknown: {a: null}}}}"},
      {.name = "null_counts_as_absent",
       .spec = "{backendFramework: null, pvcs: null, restart: null, "
               "services: {A: {replicas: null, ingress: null, envs: null}}}"},
      {.name = "null_service", .spec = "{services: {A: null}}",
       .errors = {{kTypeInvalid, "spec.services[A]"}}},
      {.name = "null_list_entry", .spec = "{services: {A: {envs: [null]}}}",
       .errors = {{kTypeInvalid, "spec.services[A].envs[0]"}}},
      {.name = "null_map_entry", .spec = "{services: {A: {labels: {a: null}}}}",
       .errors = {{kTypeInvalid, "spec.services[A].labels[a]"}}},
      {.name = "spec_that_is_a_list", .spec = "[]", .errors = {{kTypeInvalid, "spec"}}},
      {.name = "services_that_are_a_list", .spec = "{services: [{}]}",
       .errors = {{kTypeInvalid, "spec.services"}}},
      {.name = "metadata_that_is_a_number", .errors = {{kTypeInvalid, "metadata"}},
       .object = "{metadata: 7, spec: {services: {A: {}}}}"},
      {.name = "whole_number_with_a_fraction_of_zero", .spec = "{services: {A: {replicas: 3.0}}}"},
      {.name = "fraction", .spec = "{services: {A: {replicas: 1.5}}}",
       .errors = {{kTypeInvalid, "spec.services[A].replicas"}}},
      {.name = "number_as_text", .spec = "{services: {A: {replicas: '3'}}}",
       .errors = {{kTypeInvalid, "spec.services[A].replicas"}}},
      {.name = "greatest_of_32_bits", .spec = "{services: {A: {replicas: 2147483647}}}"},
      {.name = "one_more_than_32_bits", .spec = "{services: {A: {replicas: 2147483648}}}",
       .errors = {{kInvalid, "spec.services[A].replicas"}}},
      {.name = "least_of_32_bits", .spec = "{services: {A: {replicas: -2147483648}}}",
       .errors = {{kInvalid, "spec.services[A].replicas", "service.replicas.non-negative"}}},
      {.name = "one_less_than_32_bits", .spec = "{services: {A: {replicas: -2147483649}}}",
       .errors = {{kInvalid, "spec.services[A].replicas"},
                  {kInvalid, "spec.services[A].replicas", "service.replicas.non-negative"}}},
      {.name = "more_than_64_bits", .spec = "{services: {A: {replicas: 18446744073709551616}}}",
       .errors = {{kTypeInvalid, "spec.services[A].replicas"}}},
      {.name = "nothing_below_a_wrong_type_is_validated",
       .spec = "{services: {A: {ingress: [], sharedMemory: 7, eppConfig: x, componentType: epp}}}",
       .errors = {{kTypeInvalid, "spec.services[A].eppConfig"},
                  {kTypeInvalid, "spec.services[A].ingress"},
                  {kTypeInvalid, "spec.services[A].sharedMemory"}}},
      {.name = "siblings_of_a_wrong_type_are_validated",
       .spec = "{services: {B: {replicas: -1, ingress: {enabled: true, host: 7}}, A: 7}}",
       .errors = {{kTypeInvalid, "spec.services[A]"},
                  {kTypeInvalid, "spec.services[B].ingress.host"},
                  {kInvalid, "spec.services[B].replicas", "service.replicas.non-negative"}}},
      {.name = "core_types_that_are_all_right",
       .spec = "{services: {A: {extraPodSpec: {hostNetwork: true, terminationGracePeriodSeconds: 30, "
               "mainContainer: {ports: [{containerPort: 8000}], startupProbe: {httpGet: {port: http}}, "
               "resources: {limits: {cpu: 1.5, memory: 2Gi, nvidia.com/gpu: 1}}}}, "
               "livenessProbe: {httpGet: {path: /live, port: 9090}}}}}"},
      {.name = "pod_spec", .spec = "{services: {A: {extraPodSpec: {hostNetwork: 7, "
               "terminationGracePeriodSeconds: x, affinity: {nodeAffinity: []}}}}}",
       .errors = {{kTypeInvalid, "spec.services[A].extraPodSpec.affinity.nodeAffinity"},
                  {kTypeInvalid, "spec.services[A].extraPodSpec.hostNetwork"},
                  {kTypeInvalid, "spec.services[A].extraPodSpec.terminationGracePeriodSeconds"}}},
      {.name = "main_container", .spec = "{services: {A: {extraPodSpec: {mainContainer: {"
               "ports: [{containerPort: '8000'}], resources: {limits: {cpu: x}}}}}}}",
       .errors = {{kTypeInvalid, "spec.services[A].extraPodSpec.mainContainer.ports[0].containerPort"},
                  {kInvalid, "spec.services[A].extraPodSpec.mainContainer.resources.limits[cpu]"}}},
      {.name = "probe", .spec = "{services: {A: {livenessProbe: {httpGet: 7}, "
               "readinessProbe: {httpGet: {port: true}}}}}",
       .errors = {{kTypeInvalid, "spec.services[A].livenessProbe.httpGet"},
                  {kTypeInvalid, "spec.services[A].readinessProbe.httpGet.port"}}},
      {.name = "owner_reference", .errors = {{kTypeInvalid, "metadata.ownerReferences[0].kind"}},
       .object = "{metadata: {ownerReferences: [{kind: 7}]}, spec: {services: {A: {}}}}"},
      {.name = "validated_on_update_too", .spec = "{services: {A: {replicas: '3'}}}",
       .old_spec = "{services: {A: {replicas: '3'}}}",
       .errors = {{kTypeInvalid, "spec.services[A].replicas"}}},
  }}};
}

// clang-format on

}  // namespace dynamo::test

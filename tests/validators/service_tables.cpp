#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

RuleTable autoscaling_deprecated() {
  return {"service.autoscaling.deprecated", kGraphDeployment, {
      {.name = "absent", .spec = "{services: {A: {}}}"},
      {.name = "null", .spec = "{services: {A: {autoscaling: null}}}"},
      {.name = "enabled", .spec = "{services: {A: {autoscaling: {enabled: true}}}}",
       .warnings = {{"spec.services[A].autoscaling", ""}}},
      {.name = "disabled_too", .spec = "{services: {A: {autoscaling: {enabled: false}}}}",
       .warnings = {{"spec.services[A].autoscaling", ""}}},
      {.name = "in_a_component", .spec = "{autoscaling: {}}",
       .warnings = {{"spec.autoscaling", ""}}, .kind = kComponentDeployment},
  }};
}

#define OWNED_COMPONENT(owner)                                                                 \
  "{metadata: {name: a, ownerReferences: [" owner "]}, spec: {dynamoNamespace: custom}}"

RuleTable dynamo_namespace_deprecated() {
  return {"service.dynamo-namespace.deprecated", kGraphDeployment, {
      {.name = "absent", .spec = "{services: {A: {}}}"},
      {.name = "empty", .spec = "{services: {A: {dynamoNamespace: ''}}}"},
      {.name = "in_a_graph", .spec = "{services: {A: {dynamoNamespace: custom}}}",
       .warnings = {{"spec.services[A].dynamoNamespace", ""}}},
      {.name = "in_a_graph_with_the_global_one",
       .spec = "{services: {A: {dynamoNamespace: custom, globalDynamoNamespace: true}}}",
       .warnings = {{"spec.services[A].dynamoNamespace", ""}}},
      {.name = "a_component_on_its_own_needs_it", .spec = "{dynamoNamespace: custom}",
       .kind = kComponentDeployment},
      {.name = "a_component_of_a_graph", .warnings = {{"spec.dynamoNamespace", ""}},
       .object = OWNED_COMPONENT("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment}"),
       .kind = kComponentDeployment},
      {.name = "a_component_of_a_graph_of_a_later_version",
       .warnings = {{"spec.dynamoNamespace", ""}},
       .object = OWNED_COMPONENT("{apiVersion: nvidia.com/v1, kind: DynamoGraphDeployment}"),
       .kind = kComponentDeployment},
      {.name = "a_component_of_something_else",
       .object = OWNED_COMPONENT("{apiVersion: other.com/v1, kind: DynamoGraphDeployment}, "
                                 "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel}"),
       .kind = kComponentDeployment},
  }};
}

RuleTable replicas_non_negative() {
  return {"service.replicas.non-negative", kGraphDeployment, {
      {.name = "absent", .spec = "{services: {A: {}}}"},
      {.name = "one", .spec = "{services: {A: {replicas: 1}}}"},
      {.name = "zero", .spec = "{services: {A: {replicas: 0}}}"},
      {.name = "minus_one", .spec = "{services: {A: {replicas: -1}}}",
       .errors = {{kInvalid, "spec.services[A].replicas"}}},
      {.name = "greatest", .spec = "{services: {A: {replicas: 2147483647}}}"},
      {.name = "in_a_component", .spec = "{replicas: -1}",
       .errors = {{kInvalid, "spec.replicas"}}, .kind = kComponentDeployment},
      {.name = "each_service_in_the_order_of_names",
       .spec = "{services: {b: {replicas: -1}, B: {replicas: -1}, a: {replicas: -1}}}",
       .errors = {{kInvalid, "spec.services[B].replicas"},
                  {kInvalid, "spec.services[a].replicas"},
                  {kInvalid, "spec.services[b].replicas"}}},
      {.name = "broken_before_and_after", .spec = "{services: {A: {replicas: -1}}}",
       .old_spec = "{services: {A: {replicas: -1}}}",
       .errors = {{kInvalid, "spec.services[A].replicas"}}},
  }};
}

RuleTable ingress_host() {
  return {"service.ingress.host", kGraphDeployment, {
      {.name = "disabled", .spec = "{services: {A: {ingress: {enabled: false}}}}"},
      {.name = "absent_is_disabled", .spec = "{services: {A: {ingress: {}}}}"},
      {.name = "host", .spec = "{services: {A: {ingress: {enabled: true, host: a.example.com}}}}"},
      {.name = "no_host", .spec = "{services: {A: {ingress: {enabled: true}}}}",
       .errors = {{kRequired, "spec.services[A].ingress.host"}}},
      {.name = "empty_host", .spec = "{services: {A: {ingress: {enabled: true, host: ''}}}}",
       .errors = {{kRequired, "spec.services[A].ingress.host"}}},
      {.name = "a_prefix_is_no_host",
       .spec = "{services: {A: {ingress: {enabled: true, hostPrefix: a}}}}",
       .errors = {{kRequired, "spec.services[A].ingress.host"}}},
      {.name = "in_a_component", .spec = "{ingress: {enabled: true}}",
       .errors = {{kRequired, "spec.ingress.host"}}, .kind = kComponentDeployment},
  }};
}

RuleTable mount_point() {
  return {"service.mount.point", kGraphDeployment, {
      {.name = "set", .spec = "{services: {A: {volumeMounts: [{name: m, mountPoint: /m}]}}}"},
      {.name = "compilation_cache",
       .spec = "{services: {A: {volumeMounts: [{name: m, useAsCompilationCache: true}]}}}"},
      {.name = "absent", .spec = "{services: {A: {volumeMounts: [{name: m}]}}}",
       .errors = {{kRequired, "spec.services[A].volumeMounts[0].mountPoint"}}},
      {.name = "empty_and_no_cache",
       .spec = "{services: {A: {volumeMounts: [{name: a, mountPoint: /a}, "
               "{name: m, mountPoint: '', useAsCompilationCache: false}]}}}",
       .errors = {{kRequired, "spec.services[A].volumeMounts[1].mountPoint"}}},
      {.name = "each", .spec = "{volumeMounts: [{}, {}]}",
       .errors = {{kRequired, "spec.volumeMounts[0].mountPoint"},
                  {kRequired, "spec.volumeMounts[1].mountPoint"}},
       .kind = kComponentDeployment},
      {.name = "null_entry", .spec = "{services: {A: {volumeMounts: [null]}}}",
       .errors = {{kTypeInvalid, "spec.services[A].volumeMounts[0]", "type.mismatch"}}},
  }};
}

RuleTable shared_memory_size() {
  return {"service.shared-memory.size", kGraphDeployment, {
      {.name = "absent", .spec = "{services: {A: {}}}"},
      {.name = "null", .spec = "{services: {A: {sharedMemory: null}}}"},
      {.name = "disabled", .spec = "{services: {A: {sharedMemory: {disabled: true}}}}"},
      {.name = "size", .spec = "{services: {A: {sharedMemory: {size: 16Gi}}}}"},
      {.name = "number", .spec = "{services: {A: {sharedMemory: {size: 1}}}}"},
      {.name = "no_size", .spec = "{services: {A: {sharedMemory: {}}}}",
       .errors = {{kRequired, "spec.services[A].sharedMemory.size"}}},
      {.name = "not_disabled", .spec = "{services: {A: {sharedMemory: {disabled: false}}}}",
       .errors = {{kRequired, "spec.services[A].sharedMemory.size"}}},
      {.name = "zero", .spec = "{services: {A: {sharedMemory: {size: 0}}}}",
       .errors = {{kRequired, "spec.services[A].sharedMemory.size"}}},
      {.name = "zero_text", .spec = "{services: {A: {sharedMemory: {size: '0Mi'}}}}",
       .errors = {{kRequired, "spec.services[A].sharedMemory.size"}}},
      {.name = "zero_but_disabled",
       .spec = "{services: {A: {sharedMemory: {disabled: true, size: 0}}}}"},
      {.name = "in_a_component", .spec = "{sharedMemory: {}}",
       .errors = {{kRequired, "spec.sharedMemory.size"}}, .kind = kComponentDeployment},
      {.name = "no_quantity", .spec = "{services: {A: {sharedMemory: {size: big}}}}",
       .errors = {{kInvalid, "spec.services[A].sharedMemory.size", "type.mismatch"}}},
  }};
}

}  // namespace

std::vector<RuleTable> service_tables() {
  return {autoscaling_deprecated(), dynamo_namespace_deprecated(), replicas_non_negative(),
          ingress_host(),           mount_point(),                 shared_memory_size()};
}

// clang-format on

}  // namespace dynamo::test

#undef OWNED_COMPONENT

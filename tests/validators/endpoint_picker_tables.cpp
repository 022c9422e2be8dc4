#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

// A graph with an endpoint picker that is valid except for `fields`.
#define PICKER(fields) "{services: {E: {componentType: epp, " fields "}}}"
#define CONFIGURED "eppConfig: {configMapRef: {name: picker, key: k}}"

RuleTable inference_pool_available() {
  return {"epp.inference-pool.available", kGraphDeployment, {
      {.name = "served", .spec = PICKER(CONFIGURED)},
      {.name = "not_served", .spec = PICKER(CONFIGURED),
       .errors = {{kForbidden, "spec.services[E]"}}, .inference_pool_served = api::Fact::kNo},
      {.name = "unknown", .spec = PICKER(CONFIGURED), .warnings = {{"spec.services[E]", ""}},
       .inference_pool_served = api::Fact::kUnknown},
      {.name = "no_picker", .spec = "{services: {E: {componentType: worker}}}",
       .inference_pool_served = api::Fact::kNo},
      {.name = "not_asked_of_a_component", .spec = "{componentType: epp, " CONFIGURED "}",
       .inference_pool_served = api::Fact::kNo, .kind = kComponentDeployment},
  }};
}

RuleTable config_required() {
  return {"epp.config.required", kGraphDeployment, {
      {.name = "set", .spec = PICKER(CONFIGURED)},
      {.name = "no_picker", .spec = "{services: {E: {componentType: worker}}}"},
      {.name = "case_matters", .spec = "{services: {E: {componentType: EPP}}}"},
      {.name = "absent", .spec = "{services: {E: {componentType: epp}}}",
       .errors = {{kRequired, "spec.services[E].eppConfig"}}},
      {.name = "null", .spec = PICKER("eppConfig: null"),
       .errors = {{kRequired, "spec.services[E].eppConfig"}}},
      {.name = "in_a_component", .spec = "{componentType: epp}",
       .errors = {{kRequired, "spec.eppConfig"}}, .kind = kComponentDeployment},
  }};
}

RuleTable config_source() {
  return {"epp.config.source", kGraphDeployment, {
      {.name = "reference", .spec = PICKER(CONFIGURED)},
      {.name = "inline", .spec = PICKER("eppConfig: {config: {plugins: []}}")},
      {.name = "empty_inline", .spec = PICKER("eppConfig: {config: {}}")},
      {.name = "neither", .spec = PICKER("eppConfig: {}"),
       .errors = {{kRequired, "spec.services[E].eppConfig"}}},
      {.name = "nulls_are_neither", .spec = PICKER("eppConfig: {config: null, configMapRef: null}"),
       .errors = {{kRequired, "spec.services[E].eppConfig"}}},
      {.name = "both", .spec = PICKER("eppConfig: {config: {}, configMapRef: {name: a}}"),
       .errors = {{kForbidden, "spec.services[E].eppConfig"}}},
      {.name = "both_in_a_service_that_is_no_picker",
       .spec = "{services: {E: {eppConfig: {config: {}, configMapRef: {name: a}}}}}"},
      {.name = "in_a_component", .spec = "{componentType: epp, eppConfig: {}}",
       .errors = {{kRequired, "spec.eppConfig"}}, .kind = kComponentDeployment},
  }};
}

RuleTable config_reference_name() {
  return {"epp.config.ref-name", kGraphDeployment, {
      {.name = "set", .spec = PICKER(CONFIGURED)},
      {.name = "absent", .spec = PICKER("eppConfig: {configMapRef: {key: k}}"),
       .errors = {{kRequired, "spec.services[E].eppConfig.configMapRef.name"}}},
      {.name = "empty", .spec = PICKER("eppConfig: {configMapRef: {name: ''}}"),
       .errors = {{kRequired, "spec.services[E].eppConfig.configMapRef.name"}}},
      {.name = "empty_beside_an_inline_one",
       .spec = PICKER("eppConfig: {config: {}, configMapRef: {name: ''}}"),
       .errors = {{kForbidden, "spec.services[E].eppConfig", "epp.config.source"},
                  {kRequired, "spec.services[E].eppConfig.configMapRef.name"}}},
      {.name = "no_picker", .spec = "{services: {E: {eppConfig: {configMapRef: {}}}}}"},
  }};
}

RuleTable single_node() {
  return {"epp.single-node", kGraphDeployment, {
      {.name = "absent", .spec = PICKER(CONFIGURED)},
      {.name = "one", .spec = PICKER(CONFIGURED ", multinode: {nodeCount: 1}")},
      {.name = "two", .spec = PICKER(CONFIGURED ", multinode: {nodeCount: 2}"),
       .errors = {{kForbidden, "spec.services[E].multinode"}}},
      {.name = "two_of_a_worker",
       .spec = "{services: {E: {componentType: worker, multinode: {nodeCount: 2}}}}"},
      {.name = "in_a_component",
       .spec = "{componentType: epp, " CONFIGURED ", multinode: {nodeCount: 2}}",
       .errors = {{kForbidden, "spec.multinode"}}, .kind = kComponentDeployment},
  }};
}

RuleTable single_replica() {
  return {"epp.single-replica", kGraphDeployment, {
      {.name = "absent", .spec = PICKER(CONFIGURED)},
      {.name = "one", .spec = PICKER(CONFIGURED ", replicas: 1")},
      {.name = "zero", .spec = PICKER(CONFIGURED ", replicas: 0"),
       .errors = {{kInvalid, "spec.services[E].replicas"}}},
      {.name = "two", .spec = PICKER(CONFIGURED ", replicas: 2"),
       .errors = {{kInvalid, "spec.services[E].replicas"}}},
      {.name = "negative", .spec = PICKER(CONFIGURED ", replicas: -1"),
       .errors = {{kInvalid, "spec.services[E].replicas", "service.replicas.non-negative"},
                  {kInvalid, "spec.services[E].replicas"}}},
      {.name = "two_of_a_worker", .spec = "{services: {E: {componentType: worker, replicas: 2}}}"},
  }};
}

}  // namespace

std::vector<RuleTable> endpoint_picker_tables() {
  return {inference_pool_available(), config_required(), config_source(),
          config_reference_name(),    single_node(),     single_replica()};
}

// clang-format on

}  // namespace dynamo::test

#undef PICKER
#undef CONFIGURED

#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row a line where it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

RuleTable backend_immutable() {
  return {"dgd.backend.immutable", kGraphDeployment, {
      {.name = "same", .spec = "{backendFramework: vllm, services: {A: {}}}",
       .old_spec = "{backendFramework: vllm, services: {A: {}}}"},
      {.name = "absent_and_empty_are_equal", .spec = "{backendFramework: '', services: {A: {}}}",
       .old_spec = "{services: {A: {}}}"},
      {.name = "any_on_create", .spec = "{backendFramework: trtllm, services: {A: {}}}"},
      {.name = "changed", .spec = "{backendFramework: sglang, services: {A: {}}}",
       .old_spec = "{backendFramework: vllm, services: {A: {}}}",
       .errors = {{kForbidden, "spec.backendFramework"}},
       .warnings = {{"spec.backendFramework", ""}}},
      {.name = "case_matters", .spec = "{backendFramework: VLLM, services: {A: {}}}",
       .old_spec = "{backendFramework: vllm, services: {A: {}}}",
       .errors = {{kForbidden, "spec.backendFramework"}},
       .warnings = {{"spec.backendFramework", ""}}},
      {.name = "removed", .spec = "{services: {A: {}}}",
       .old_spec = "{backendFramework: vllm, services: {A: {}}}",
       .errors = {{kForbidden, "spec.backendFramework"}},
       .warnings = {{"spec.backendFramework", ""}}},
      {.name = "added", .spec = "{backendFramework: vllm, services: {A: {}}}",
       .old_spec = "{services: {A: {}}}",
       .errors = {{kForbidden, "spec.backendFramework"}},
       .warnings = {{"spec.backendFramework", ""}}},
  }};
}

RuleTable services_fixed() {
  return {"dgd.topology.services", kGraphDeployment, {
      {.name = "same_in_another_order", .spec = "{services: {B: {}, A: {}}}",
       .old_spec = "{services: {A: {}, B: {}}}"},
      {.name = "any_on_create", .spec = "{services: {B: {}, A: {}}}"},
      {.name = "added", .spec = "{services: {A: {}, B: {}}}", .old_spec = "{services: {A: {}}}",
       .errors = {{kForbidden, "spec.services"}}},
      {.name = "removed", .spec = "{services: {A: {}}}", .old_spec = "{services: {A: {}, B: {}}}",
       .errors = {{kForbidden, "spec.services"}}},
      {.name = "renamed", .spec = "{services: {B: {}}}", .old_spec = "{services: {A: {}}}",
       .errors = {{kForbidden, "spec.services"}}},
      {.name = "all_removed_is_only_a_graph_without_services", .spec = "{}",
       .old_spec = "{services: {A: {}}}",
       .errors = {{kRequired, "spec.services", "dgd.services.required"}}},
      {.name = "an_old_object_without_services", .spec = "{services: {A: {}}}", .old_spec = "{}",
       .errors = {{kForbidden, "spec.services"}}},
  }};
}

RuleTable node_class() {
  return {"dgd.topology.node-class", kGraphDeployment, {
      {.name = "two_to_three", .spec = "{services: {A: {multinode: {nodeCount: 3}}}}",
       .old_spec = "{services: {A: {multinode: {nodeCount: 2}}}}"},
      {.name = "absent_is_one", .spec = "{services: {A: {multinode: {nodeCount: 1}}}}",
       .old_spec = "{services: {A: {}}}"},
      {.name = "several_on_create", .spec = "{services: {A: {multinode: {nodeCount: 2}}}}"},
      {.name = "one_to_two", .spec = "{services: {A: {multinode: {nodeCount: 2}}}}",
       .old_spec = "{services: {A: {multinode: {nodeCount: 1}}}}",
       .errors = {{kForbidden, "spec.services[A].multinode"}}},
      {.name = "two_to_one", .spec = "{services: {A: {multinode: {nodeCount: 1}}}}",
       .old_spec = "{services: {A: {multinode: {nodeCount: 2}}}}",
       .errors = {{kForbidden, "spec.services[A].multinode"}}},
      {.name = "absent_to_two", .spec = "{services: {A: {multinode: {nodeCount: 2}}}}",
       .old_spec = "{services: {A: {}}}",
       .errors = {{kForbidden, "spec.services[A].multinode"}}},
      {.name = "two_to_absent", .spec = "{services: {A: {multinode: {}}}}",
       .old_spec = "{services: {A: {multinode: {nodeCount: 2}}}}",
       .errors = {{kForbidden, "spec.services[A].multinode"}}},
      {.name = "a_service_that_is_new",
       .spec = "{services: {A: {}, B: {multinode: {nodeCount: 2}}}}",
       .old_spec = "{services: {A: {}}}",
       .errors = {{kForbidden, "spec.services", "dgd.topology.services"}}},
      {.name = "each_in_the_order_of_names",
       .spec = "{services: {B: {multinode: {nodeCount: 2}}, A: {multinode: {nodeCount: 2}}}}",
       .old_spec = "{services: {B: {}, A: {}}}",
       .errors = {{kForbidden, "spec.services[A].multinode"},
                  {kForbidden, "spec.services[B].multinode"}}},
      {.name = "an_unreadable_count_is_only_a_type_error",
       .spec = "{services: {A: {multinode: {nodeCount: '2'}}}}",
       .old_spec = "{services: {A: {multinode: {nodeCount: 2}}}}",
       .errors = {{kTypeInvalid, "spec.services[A].multinode.nodeCount", "type.mismatch"}}},
  }};
}

}  // namespace

std::vector<RuleTable> graph_update_tables() {
  return {backend_immutable(), services_fixed(), node_class()};
}

// clang-format on

}  // namespace dynamo::test

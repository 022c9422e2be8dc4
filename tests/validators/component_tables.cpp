#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

std::vector<RuleTable> component_tables() {
  return {
      {"dcd.backend.immutable", kComponentDeployment, {
          {.name = "same", .spec = "{backendFramework: vllm}",
           .old_spec = "{backendFramework: vllm}"},
          {.name = "absent_and_empty_are_equal", .spec = "{}",
           .old_spec = "{backendFramework: ''}"},
          {.name = "changed", .spec = "{backendFramework: sglang}",
           .old_spec = "{backendFramework: vllm}",
           .errors = {{kForbidden, "spec.backendFramework"}},
           .warnings = {{"spec.backendFramework", ""}}},
          {.name = "removed", .spec = "{}", .old_spec = "{backendFramework: vllm}",
           .errors = {{kForbidden, "spec.backendFramework"}},
           .warnings = {{"spec.backendFramework", ""}}},
      }},
      {"dcd.topology.node-class", kComponentDeployment, {
          {.name = "several_on_create", .spec = "{multinode: {nodeCount: 4}}"},
          {.name = "two_to_three", .spec = "{multinode: {nodeCount: 3}}",
           .old_spec = "{multinode: {nodeCount: 2}}"},
          {.name = "one_to_two", .spec = "{multinode: {nodeCount: 2}}",
           .old_spec = "{multinode: {nodeCount: 1}}", .errors = {{kForbidden, "spec.multinode"}}},
          {.name = "two_to_absent", .spec = "{}", .old_spec = "{multinode: {nodeCount: 2}}",
           .errors = {{kForbidden, "spec.multinode"}}},
      }},
  };
}

// clang-format on

}  // namespace dynamo::test

#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define TARGET "dgdRef: {name: g, serviceName: s}"

}  // namespace

std::vector<RuleTable> scaling_adapter_tables() {
  return {
      {"dgdsa.ref.immutable", kScalingAdapter, {
          {.name = "same_in_another_order",
           .spec = "{replicas: 2, dgdRef: {serviceName: s, name: g}}",
           .old_spec = "{replicas: 1, " TARGET "}"},
          {.name = "another_graph", .spec = "{dgdRef: {name: h, serviceName: s}}",
           .old_spec = "{" TARGET "}", .warnings = {{"spec.dgdRef", ""}}},
          {.name = "another_service", .spec = "{dgdRef: {name: g, serviceName: t}}",
           .old_spec = "{" TARGET "}", .warnings = {{"spec.dgdRef", ""}}},
          {.name = "another_service_by_the_operator", .spec = "{dgdRef: {name: g, serviceName: t}}",
           .old_spec = "{" TARGET "}", .user = "system:serviceaccount:d:x-dynamo-operator-controller-manager"},
          {.name = "removed", .spec = "{}", .old_spec = "{" TARGET "}",
           .errors = {{kRequired, "spec.dgdRef.name", "dgdsa.ref.name"},
                      {kRequired, "spec.dgdRef.serviceName", "dgdsa.ref.service"}}, .warnings = {{"spec.dgdRef", "dgdsa.ref.immutable"}}},
      }},
      {"dgdsa.ref.name", kScalingAdapter, {
          {.name = "set", .spec = "{" TARGET "}"},
          {.name = "absent", .spec = "{dgdRef: {serviceName: s}}",
           .errors = {{kRequired, "spec.dgdRef.name"}}},
          {.name = "empty", .spec = "{dgdRef: {name: '', serviceName: s}}",
           .errors = {{kRequired, "spec.dgdRef.name"}}},
          {.name = "an_old_fault_stays", .spec = "{replicas: 2, dgdRef: {serviceName: s}}",
           .old_spec = "{replicas: 1, dgdRef: {serviceName: s}}"},
          {.name = "a_fault_is_made", .spec = "{dgdRef: {serviceName: s}}",
           .old_spec = "{" TARGET "}",
           .errors = {{kRequired, "spec.dgdRef.name"}}, .warnings = {{"spec.dgdRef", "dgdsa.ref.immutable"}}},
      }},
      {"dgdsa.ref.service", kScalingAdapter, {
          {.name = "set", .spec = "{" TARGET "}"},
          {.name = "absent", .spec = "{dgdRef: {name: g}}",
           .errors = {{kRequired, "spec.dgdRef.serviceName"}}},
          {.name = "no_reference", .spec = "{replicas: 1}",
           .errors = {{kRequired, "spec.dgdRef.name", "dgdsa.ref.name"},
                      {kRequired, "spec.dgdRef.serviceName"}}},
          {.name = "an_old_fault_stays", .spec = "{replicas: 2, dgdRef: {name: g}}",
           .old_spec = "{replicas: 1, dgdRef: {name: g}}"},
          {.name = "a_fault_is_made", .spec = "{dgdRef: {name: g}}", .old_spec = "{" TARGET "}",
           .errors = {{kRequired, "spec.dgdRef.serviceName"}}, .warnings = {{"spec.dgdRef", "dgdsa.ref.immutable"}}},
      }},
      {"dgdsa.replicas.non-negative", kScalingAdapter, {
          {.name = "absent", .spec = "{" TARGET "}"},
          {.name = "one", .spec = "{replicas: 1, " TARGET "}"},
          {.name = "zero", .spec = "{replicas: 0, " TARGET "}"},
          {.name = "minus_one", .spec = "{replicas: -1, " TARGET "}",
           .errors = {{kInvalid, "spec.replicas"}}},
          {.name = "an_old_fault_stays", .spec = "{replicas: -1, " TARGET "}",
           .old_spec = "{replicas: -1, " TARGET "}"},
          {.name = "an_old_fault_changes", .spec = "{replicas: -2, " TARGET "}",
           .old_spec = "{replicas: -1, " TARGET "}", .errors = {{kInvalid, "spec.replicas"}}},
      }},
  };
}

// clang-format on

}  // namespace dynamo::test

#undef TARGET

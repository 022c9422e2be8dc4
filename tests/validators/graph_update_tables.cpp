#include <string>
#include <string_view>

#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
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

// `count` services; `last` contains the fields of the last one.
std::string services(int count, std::string_view last = "") {
  std::string text = "services: {";
  for (int i = 1; i < count; ++i) text += "S" + std::to_string(1000 + i) + ": {}, ";
  return text + "Z: {" + std::string(last) + "}}";
}

std::string graph_of(std::string_view annotations, int count) {
  return "{metadata: {name: a, annotations: {" + std::string(annotations) + "}}, spec: {" +
         services(count) + "}}";
}

RuleTable services_limit() {
  // The rows hold views of these texts.
  static const std::string most = "{" + services(64) + "}";
  static const std::string more = "{" + services(65) + "}";
  static const std::string many = "{" + services(90) + "}";
  static const std::string fewer = "{" + services(80) + "}";
  static const std::string reordered = "{pvcs: [], " + services(90) + ", envs: []}";
  static const std::string again = "{envs: [], " + services(90) + ", pvcs: []}";
  static const std::string changed = "{" + services(90, "replicas: 2") + "}";
  static const std::string removed_and_changed = "{" + services(80, "replicas: 2") + "}";
  static const std::string more_spec = "{" + services(90) + ", envs: [{name: A, value: b}]}";
  static const std::string less_spec = "{" + services(80) + "}";
  static const std::string plain = graph_of("", 90);
  static const std::string labelled = graph_of("example.com/a: b", 90);
  static const std::string versioned =
      graph_of("nvidia.com/dynamo-operator-origin-version: 1.2.3", 90);
  static const std::string without_grove = graph_of("nvidia.com/enable-grove: 'false'", 90);
  const Finding too_many{kTooMany, "spec.services"};
  const Finding fixed{kForbidden, "spec.services", "dgd.topology.services"};
  return {"dgd.services.limit", kGraphDeployment, {
      {.name = "as_many_as_are_validated", .spec = most},
      {.name = "one_more", .spec = more, .errors = {too_many}},
      {.name = "many", .spec = many, .errors = {too_many}},
      {.name = "more_than_before", .spec = more, .old_spec = most, .errors = {too_many, fixed}},
      {.name = "as_many_as_are_validated_of_more", .spec = most, .old_spec = many,
       .errors = {fixed}},
      {.name = "unchanged", .spec = many, .old_spec = many},
      {.name = "unchanged_in_another_order", .spec = again, .old_spec = reordered},
      {.name = "fewer_are_forgiven_here", .spec = fewer, .old_spec = many, .errors = {fixed}},
      {.name = "yet_more", .spec = many, .old_spec = fewer, .errors = {too_many, fixed}},
      {.name = "one_changed", .spec = changed, .old_spec = many, .errors = {too_many}},
      {.name = "fewer_and_one_changed", .spec = removed_and_changed, .old_spec = many,
       .errors = {too_many, fixed}},
      {.name = "the_rest_of_the_spec_changed", .spec = more_spec, .old_spec = many,
       .errors = {too_many}},
      {.name = "a_part_of_the_spec_removed", .spec = less_spec, .old_spec = more_spec,
       .errors = {too_many, fixed}},
      {.name = "an_annotation_of_somebody_else", .object = labelled, .old_object = plain},
      {.name = "the_annotation_that_defaulting_sets", .object = versioned, .old_object = plain},
      {.name = "an_annotation_of_the_operator", .errors = {too_many}, .object = without_grove,
       .old_object = plain},
      {.name = "an_annotation_of_the_operator_removed", .errors = {too_many}, .object = plain,
       .old_object = without_grove},
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
  return {backend_immutable(), services_limit(), services_fixed(), node_class()};
}

// clang-format on

}  // namespace dynamo::test

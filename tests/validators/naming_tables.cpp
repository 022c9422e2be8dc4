#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define LETTERS_10 "aaaaaaaaaa"
#define LETTERS_20 LETTERS_10 LETTERS_10
#define LETTERS_40 LETTERS_20 LETTERS_20
#define LETTERS_60 LETTERS_40 LETTERS_20

// A graph with that name in namespace "default".
#define GRAPH(name, services) \
  "{metadata: {name: " name ", namespace: default}, spec: {services: {" services "}}}"
#define COMPONENT(name, spec) "{metadata: {name: " name ", namespace: default}, spec: {" spec "}}"

using api::Fact;
using api::OperatorGeneration;

const api::ClusterFacts kGrove{.grove_served = Fact::kYes};
const api::ClusterFacts kFirstOnGrove{.grove_served = Fact::kYes, .operator_generation = OperatorGeneration::kFirst};
const api::ClusterFacts kLaterOnGrove{.grove_served = Fact::kYes, .operator_generation = OperatorGeneration::kLater};
const api::ClusterFacts kNoGrove{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo};
const api::ClusterFacts kEtcd{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo, .kubernetes_discovery = Fact::kNo};
const api::ClusterFacts kLws{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kYes, .kubernetes_discovery = Fact::kNo};
const api::ClusterFacts kFirst{.operator_generation = OperatorGeneration::kFirst};
const api::ClusterFacts kLater{.operator_generation = OperatorGeneration::kLater};

RuleTable name_collision() {
  return {"dgd.services.name-collision", kGraphDeployment, {
      {.name = "different", .spec = "{services: {A: {}, B: {}, AB: {}}}"},
      {.name = "only_by_case", .spec = "{services: {Worker: {}, worker: {}}}", .errors = {{kDuplicate, "spec.services[worker]"}}},
      {.name = "three_only_by_case", .spec = "{services: {W: {}, w: {}, other: {}, wW: {}, Ww: {}}}",
       .errors = {{kDuplicate, "spec.services[wW]"}, {kDuplicate, "spec.services[w]"}}, .facts = kEtcd},
      {.name = "a_node_of_another", .spec = "{services: {x: {multinode: {nodeCount: 2}}, X-LDR: {}}}",
       .errors = {{kDuplicate, "spec.services[X-LDR]"}}, .facts = kGrove},
      {.name = "a_node_of_another_perhaps", .spec = "{services: {x: {multinode: {nodeCount: 2}}, x-wkr: {}}}",
       .warnings = {{"spec.services[x-wkr]", ""}}},
      {.name = "no_clique_without_grove", .spec = "{services: {x: {multinode: {nodeCount: 2}}, x-wkr: {}}}", .facts = kNoGrove},
      {.name = "a_graph_that_wants_no_grove",
       .object = "{metadata: {name: g, annotations: {nvidia.com/enable-grove: 'false'}}, " "spec: {services: {x: {multinode: {nodeCount: 2}}, x-wkr: {}}}}",
       .facts = kFirst},
      {.name = "one_node_has_no_suffix", .spec = "{services: {x: {}, x-ldr: {}}}", .facts = kGrove},
      {.name = "no_hyphen", .spec = "{services: {x: {multinode: {nodeCount: 2}}, xxldr: {}}}", .facts = kGrove},
      {.name = "a_service_for_debugging", .spec = "{services: {x: {}, x-d: {}}}", .warnings = {{"spec.services[x-d]", ""}}},
      {.name = "a_service_for_production", .spec = "{services: {X: {}, x-p: {}}}", .warnings = {{"spec.services[x-p]", ""}}},
      {.name = "none_for_debugging_with_etcd", .spec = "{services: {x: {}, x-d: {}}}", .facts = kEtcd},
      {.name = "none_for_debugging_on_grove", .spec = "{services: {x: {}, x-d: {}}}", .facts = kGrove},
      {.name = "a_frontend_has_them_with_etcd_too", .spec = "{services: {x: {componentType: frontend}, x-d: {}}}",
       .warnings = {{"spec.services[x-d]", ""}}, .facts = kEtcd},
      {.name = "a_replica_of_another", .spec = "{services: {x: {replicas: 2, multinode: {nodeCount: 2}}, x-1: {}}}",
       .warnings = {{"spec.services[x-1]", ""}}, .facts = kLws},
      {.name = "a_replica_more_than_there_are", .spec = "{services: {x: {replicas: 2, multinode: {nodeCount: 2}}, x-2: {}}}",
       .facts = kLws},
      {.name = "another_number", .spec = "{services: {x: {replicas: 2, multinode: {nodeCount: 2}}, x-01: {}, x-: {}, 'x--1': {}}}",
       .facts = kLws},
      {.name = "an_old_fault_stays", .spec = "{services: {W: {}, w: {replicas: 2}}}", .old_spec = "{services: {W: {}, w: {}}}"},
      {.name = "a_new_fault", .spec = "{services: {W: {}, w: {}}}", .old_spec = "{services: {W: {}}}",
       .errors = {{kForbidden, "spec.services", "dgd.topology.services"}, {kDuplicate, "spec.services[w]"}}},
  }};
}

RuleTable name_dns() {
  return {"dgd.services.name-dns", kGraphDeployment, {
      {.name = "letters_digits_hyphens", .spec = "{services: {VllmWorker-0: {}, 0: {}}}"},
      {.name = "sixty_three", .spec = "{services: {" LETTERS_60 "aaa: {}}}"},
      {.name = "sixty_four", .spec = "{services: {" LETTERS_60 "aaaa: {}}}", .errors = {{kInvalid, "spec.services[" LETTERS_60 "aaaa]"}}},
      {.name = "an_underscore", .spec = "{services: {vllm_worker: {}}}", .errors = {{kInvalid, "spec.services[vllm_worker]"}}},
      {.name = "a_dot", .spec = "{services: {a.b: {}}}", .errors = {{kInvalid, "spec.services[a.b]"}}},
      {.name = "a_letter_of_another_alphabet", .spec = "{services: {\u00e4: {}}}", .errors = {{kInvalid, "spec.services[\u00e4]"}}},
      {.name = "a_hyphen_at_the_end", .spec = "{services: {a-: {}}}", .errors = {{kInvalid, "spec.services[a-]"}}},
      {.name = "a_hyphen_in_front", .spec = "{services: {'-a': {}}}", .errors = {{kInvalid, "spec.services[-a]"}}},
      {.name = "empty", .spec = "{services: {'': {}}}", .errors = {{kInvalid, "spec.services[]"}}},
      {.name = "an_old_fault_stays", .spec = "{services: {a_b: {replicas: 2}}}", .old_spec = "{services: {a_b: {}}}"},
      {.name = "a_new_fault", .spec = "{services: {a_b: {}}}", .old_spec = "{services: {}}",
       .errors = {{kForbidden, "spec.services", "dgd.topology.services"}, {kInvalid, "spec.services[a_b]"}}},
  }};
}

RuleTable dot_or_digit() {
  const std::vector<Finding> denied{{kInvalid, "metadata.name"}};
  const std::vector<Place> warned{{"metadata.name", ""}};
  const api::ClusterFacts minor_35{.kubernetes_minor = 35};
  const api::ClusterFacts minor_36{.kubernetes_minor = 36};
  return {"dgd.name.dot-or-digit", kGraphDeployment, {
      {.name = "letters_digits_hyphens", .object = GRAPH("llama-3-8b", "A: {}"), .facts = kFirst},
      {.name = "a_dot", .errors = denied, .object = GRAPH("llama-3.1", "A: {}"), .facts = {.grove_served = Fact::kNo, .operator_generation = OperatorGeneration::kFirst}},
      {.name = "a_dot_of_a_frontend_on_grove", .errors = denied, .object = GRAPH("llama-3.1", "A: {componentType: frontend}"), .facts = kFirstOnGrove},
      {.name = "a_dot_without_a_service", .warnings = warned, .object = GRAPH("llama-3.1", "A: {}"), .facts = kFirst},
      {.name = "a_dot_with_an_unknown_operator", .warnings = warned, .object = GRAPH("llama-3.1", "A: {}")},
      {.name = "a_dot_with_a_later_operator", .object = GRAPH("llama-3.1", "A: {}"), .facts = kLater},
      {.name = "a_digit_in_front", .warnings = warned, .object = GRAPH("3b", "A: {}")},
      {.name = "a_digit_before_1_36", .errors = denied, .object = GRAPH("3b", "A: {}"), .facts = {.grove_served = Fact::kNo, .operator_generation = OperatorGeneration::kFirst, .kubernetes_minor = 35}},
      {.name = "a_digit_before_1_36_with_another_operator", .warnings = warned, .object = GRAPH("3b", "A: {}"), .facts = minor_35},
      {.name = "a_digit_without_a_service", .warnings = warned, .object = GRAPH("3b", "A: {}"),
       .facts = {.grove_served = Fact::kYes, .kubernetes_discovery = Fact::kNo, .operator_generation = OperatorGeneration::kFirst, .kubernetes_minor = 35}},
      {.name = "a_digit_from_1_36_on", .object = GRAPH("3b", "A: {}"), .facts = minor_36},
      {.name = "a_component", .errors = denied, .object = COMPONENT("a.b", "dynamoNamespace: x"), .kind = kComponentDeployment,
       .facts = kFirst},
      {.name = "a_name_to_be_generated", .object = "{metadata: {generateName: 3.b-}, spec: {services: {A: {}}}}", .facts = kFirst},
      {.name = "an_old_fault_stays", .object = GRAPH("a.b", "A: {replicas: 2}"), .old_object = GRAPH("a.b", "A: {}"), .facts = kFirst},
      {.name = "a_new_fault", .errors = denied, .object = GRAPH("a.b", "A: {}"), .old_object = GRAPH("ab", "A: {}"), .facts = {.grove_served = Fact::kNo, .operator_generation = OperatorGeneration::kFirst}},
  }};
}

RuleTable grove_length() {
  const std::vector<Finding> denied{{kTooLong, "metadata.name"}};
  const std::vector<Place> warned{{"metadata.name", ""}};
  return {"dgd.name.length.grove", kGraphDeployment, {
      {.name = "forty_five", .object = GRAPH(LETTERS_40, "aaaaa: {}, b: {}"), .facts = kFirstOnGrove},
      {.name = "forty_six", .errors = denied, .object = GRAPH(LETTERS_40 "a", "aaaaa: {}, b: {}"), .facts = kFirstOnGrove},
      {.name = "forty_five_on_several_nodes", .object = GRAPH(LETTERS_20 "a", LETTERS_10 ": {multinode: {nodeCount: 2}}"),
       .facts = kFirstOnGrove},
      {.name = "forty_six_on_several_nodes", .errors = denied,
       .object = GRAPH(LETTERS_20 "aa", LETTERS_10 ": {multinode: {nodeCount: 2}}"), .facts = kFirstOnGrove},
      {.name = "perhaps_an_operator_that_shortens", .warnings = warned, .object = GRAPH(LETTERS_40 "a", "aaaaa: {}"), .facts = kGrove},
      {.name = "an_operator_that_shortens", .object = GRAPH(LETTERS_40 "a", "aaaaa: {}"), .facts = kLaterOnGrove},
      {.name = "as_much_as_shortening_leaves", .object = GRAPH(LETTERS_20, LETTERS_20 LETTERS_10 "aaaaaaa: {}"), .facts = kLaterOnGrove},
      {.name = "more_than_shortening_leaves", .errors = denied, .object = GRAPH(LETTERS_20, LETTERS_20 LETTERS_10 "aaaaaaaa: {}"),
       .facts = kLaterOnGrove},
      {.name = "more_than_any_operator_can_shorten", .errors = denied, .object = GRAPH(LETTERS_20, LETTERS_20 LETTERS_10 "aaaaaaaa: {}"),
       .facts = kGrove},
      {.name = "a_short_graph_is_not_shortened", .object = GRAPH("g", LETTERS_40 "aaaa: {}"), .facts = kLaterOnGrove},
      {.name = "perhaps_on_grove", .warnings = warned, .object = GRAPH(LETTERS_40 "a", "aaaaa: {}"), .facts = kFirst},
      {.name = "not_on_grove", .object = GRAPH(LETTERS_40 "a", "aaaaa: {}"), .facts = kNoGrove},
      {.name = "grove_refused",
       .object = "{metadata: {name: " LETTERS_40 "a, annotations: {nvidia.com/enable-grove: 'False'}}, " "spec: {services: {aaaaa: {}}}}",
       .facts = kFirstOnGrove},
      {.name = "a_name_to_be_generated", .object = "{metadata: {generateName: " LETTERS_60 "}, spec: {services: {aaaaa: {}}}}",
       .facts = kFirstOnGrove},
      {.name = "an_old_fault_stays", .object = GRAPH(LETTERS_40 "a", "aaaaa: {replicas: 2}"),
       .old_object = GRAPH(LETTERS_40 "a", "aaaaa: {}"), .facts = kFirstOnGrove},
      {.name = "a_new_fault", .errors = denied, .object = GRAPH(LETTERS_40 "a", "aaaaa: {}"), .old_object = GRAPH("a", "aaaaa: {}"),
       .facts = kFirstOnGrove},
  }};
}

RuleTable label_length() {
  const std::vector<Finding> denied{{kTooLong, "metadata.name"}};
  const std::vector<Place> warned{{"metadata.name", ""}};
  const api::ClusterFacts first_with_etcd{.kubernetes_discovery = Fact::kNo, .operator_generation = OperatorGeneration::kFirst};
  const api::ClusterFacts first_with_kubernetes{.kubernetes_discovery = Fact::kYes, .operator_generation = OperatorGeneration::kFirst};
#define GLOBAL "{globalDynamoNamespace: true}"
  return {"dgd.name.length.label", kGraphDeployment, {
      // After the prefix "default-".
      {.name = "sixty_three", .object = GRAPH(LETTERS_40 LETTERS_10 "aaaaa", "A: {}"), .facts = first_with_etcd},
      {.name = "sixty_four", .errors = denied, .object = GRAPH(LETTERS_40 LETTERS_10 "aaaaaa", "A: {}"), .facts = first_with_etcd},
      {.name = "with_any_operator", .errors = denied, .object = GRAPH(LETTERS_40 LETTERS_10 "aaaaaa", "A: {}"), .facts = kLater},
      {.name = "without_the_namespace", .object = GRAPH(LETTERS_60 "aaa", "A: " GLOBAL), .facts = first_with_etcd},
      {.name = "too_long_without_the_namespace", .errors = denied, .object = GRAPH(LETTERS_60 "aaaa", "A: " GLOBAL),
       .facts = first_with_etcd},
      {.name = "one_service_in_the_namespace", .errors = denied, .object = GRAPH(LETTERS_40 LETTERS_10 "aaaaaa", "A: " GLOBAL ", B: {}"),
       .facts = first_with_etcd},
      {.name = "forty_one_with_discovery", .object = GRAPH(LETTERS_40 "a", "A: {}"), .facts = first_with_kubernetes},
      {.name = "forty_two_with_discovery", .errors = denied, .object = GRAPH(LETTERS_40 "aa", "A: {}"), .facts = first_with_kubernetes},
      {.name = "forty_two_and_nothing_known", .warnings = warned, .object = GRAPH(LETTERS_40 "aa", "A: {}")},
      {.name = "forty_two_with_a_later_operator", .object = GRAPH(LETTERS_40 "aa", "A: {}"), .facts = kLater},
      {.name = "forty_two_with_etcd_by_annotation",
       .object = "{metadata: {name: " LETTERS_40 "aa, annotations: {nvidia.com/dynamo-discovery-backend: etcd}}, spec: {services: {A: {}}}}",
       .facts = first_with_kubernetes},
      {.name = "an_annotation_of_a_service_does_not_count", .errors = denied,
       .object = GRAPH(LETTERS_40 "aa", "A: {annotations: {nvidia.com/dynamo-discovery-backend: etcd}}"), .facts = first_with_kubernetes},
      {.name = "an_old_fault_stays", .object = GRAPH(LETTERS_60, "A: {replicas: 2}"), .old_object = GRAPH(LETTERS_60, "A: {}")},
      {.name = "a_new_fault", .errors = denied, .object = GRAPH(LETTERS_60, "A: {}"), .old_object = GRAPH("a", "A: {}"),
       .facts = first_with_etcd},
  }};
#undef GLOBAL
}

RuleTable service_length() {
  const api::ClusterFacts later_without_grove{.grove_served = api::Fact::kNo, .operator_generation = api::OperatorGeneration::kLater};
  return {"dgd.name.length.service", kGraphDeployment, {
      {.name = "sixty_three", .object = GRAPH(LETTERS_20, LETTERS_40 "aa: {}"), .facts = kEtcd},
      {.name = "sixty_four", .errors = {{kTooLong, "spec.services[" LETTERS_40 "aaa]"}},
       .object = GRAPH(LETTERS_20, LETTERS_40 "aaa: {}, b: {}"), .facts = kEtcd},
      {.name = "sixty_four_on_grove", .errors = {{kTooLong, "spec.services[" LETTERS_40 "aaa]"}},
       .object = GRAPH(LETTERS_20, LETTERS_40 "aaa: {}"), .facts = kGrove},
      {.name = "sixty_one_with_a_suffix", .object = GRAPH(LETTERS_20, LETTERS_40 ": {componentType: frontend}"), .facts = kNoGrove},
      {.name = "sixty_two_with_a_suffix", .warnings = {{"spec.services[" LETTERS_40 "a]", ""}},
       .object = GRAPH(LETTERS_20, LETTERS_40 "a: {}"), .facts = kNoGrove},
      {.name = "sixty_two_of_a_frontend_with_etcd", .warnings = {{"spec.services[" LETTERS_40 "a]", ""}},
       .object = GRAPH(LETTERS_20, LETTERS_40 "a: {componentType: frontend}"), .facts = kEtcd},
      {.name = "sixty_two_without_a_suffix", .object = GRAPH(LETTERS_20, LETTERS_40 "a: {}"), .facts = kEtcd},
      {.name = "room_for_the_hash_of_a_worker", .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaaaaaa: {componentType: worker}"),
       .facts = later_without_grove},
      {.name = "no_room_for_the_hash_of_a_worker", .errors = {{kTooLong, "spec.services[" LETTERS_20 "aaaaaaaaaaaaaa]"}},
       .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaaaaaaa: {componentType: worker}"), .facts = later_without_grove},
      {.name = "no_room_for_the_hash_with_an_unknown_operator", .warnings = {{"spec.services[" LETTERS_20 "aaaaaaaaaaaaaa]", ""}},
       .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaaaaaaa: {componentType: worker}"), .facts = kNoGrove},
      {.name = "no_hash_on_grove", .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaaaaaaa: {componentType: worker}"), .facts = kGrove},
      {.name = "no_hash_of_a_frontend", .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaaaaaaa: {componentType: frontend}"),
       .facts = later_without_grove},
      {.name = "a_component", .errors = {{kTooLong, "metadata.name"}}, .object = COMPONENT(LETTERS_60 "aaaa", "dynamoNamespace: x"),
       .kind = kComponentDeployment},
      {.name = "a_component_with_a_suffix", .warnings = {{"metadata.name", ""}},
       .object = COMPONENT(LETTERS_60 "aa", "dynamoNamespace: x"), .kind = kComponentDeployment},
      {.name = "a_component_of_sixty_one", .object = COMPONENT(LETTERS_60 "a", "dynamoNamespace: x"), .kind = kComponentDeployment},
      {.name = "an_old_fault_stays", .object = GRAPH(LETTERS_20, LETTERS_40 "aaa: {replicas: 2}"),
       .old_object = GRAPH(LETTERS_20, LETTERS_40 "aaa: {}")},
      {.name = "a_new_fault", .errors = {{kTooLong, "spec.services[" LETTERS_40 "aaa]"}},
       .object = GRAPH(LETTERS_20, LETTERS_40 "aaa: {}"), .old_object = GRAPH("a", LETTERS_40 "aaa: {}")},
  }};
}

RuleTable leader_worker_set_length() {
#define NODES "{multinode: {nodeCount: 2}}"
#define TEN_REPLICAS "{replicas: 10, multinode: {nodeCount: 2}}"
#define ELEVEN_REPLICAS "{replicas: 11, multinode: {nodeCount: 2}}"
  const std::string_view path = "spec.services[" LETTERS_20 "aaaaaaaaa]";
  const std::vector<Finding> denied{{kTooLong, std::string(path)}};
  return {"dgd.name.length.lws", kGraphDeployment, {
      // GRAPH-service-0
      {.name = "fifty_one", .object = GRAPH(LETTERS_10 "aaaaaaaaa", LETTERS_20 "aaaaaaaaa: " NODES), .facts = kLws},
      {.name = "fifty_two", .errors = denied, .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " NODES), .facts = kLws},
      {.name = "ten_replicas_have_one_digit", .object = GRAPH(LETTERS_10 "aaaaaaaaa", LETTERS_20 "aaaaaaaaa: " TEN_REPLICAS),
       .facts = kLws},
      {.name = "eleven_replicas_have_two", .warnings = {{std::string(path), ""}},
       .object = GRAPH(LETTERS_10 "aaaaaaaaa", LETTERS_20 "aaaaaaaaa: " ELEVEN_REPLICAS), .facts = kLws},
      {.name = "one_node", .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: {}"), .facts = kLws},
      {.name = "perhaps", .warnings = {{std::string(path), ""}}, .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " NODES),
       .facts = {.grove_served = Fact::kNo}},
      {.name = "perhaps_on_grove_which_has_a_rule", .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " NODES)},
      {.name = "a_component", .errors = {{kTooLong, "metadata.name"}},
       .object = COMPONENT(LETTERS_40 LETTERS_10, "dynamoNamespace: x, multinode: {nodeCount: 2}"), .kind = kComponentDeployment,
       .facts = kLws},
      {.name = "a_component_perhaps", .warnings = {{"metadata.name", ""}},
       .object = COMPONENT(LETTERS_40 LETTERS_10, "dynamoNamespace: x, multinode: {nodeCount: 2}"), .kind = kComponentDeployment},
      {.name = "an_old_fault_stays", .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " NODES),
       .old_object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " NODES), .facts = kLws},
      {.name = "too_long_for_the_first_of_eleven", .errors = denied, .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " ELEVEN_REPLICAS),
       .facts = kLws},
      {.name = "a_new_fault", .errors = denied, .object = GRAPH(LETTERS_20, LETTERS_20 "aaaaaaaaa: " ELEVEN_REPLICAS),
       .old_object = GRAPH("a", LETTERS_20 "aaaaaaaaa: " ELEVEN_REPLICAS), .facts = kLws},
      {.name = "a_new_fault_of_the_eleventh_replica", .warnings = {{std::string(path), ""}},
       .object = GRAPH(LETTERS_10 "aaaaaaaaa", LETTERS_20 "aaaaaaaaa: " ELEVEN_REPLICAS),
       .old_object = GRAPH(LETTERS_10 "aaaaaaaaa", LETTERS_20 "aaaaaaaaa: " TEN_REPLICAS), .facts = kLws},
  }};
#undef NODES
#undef TEN_REPLICAS
#undef ELEVEN_REPLICAS
}

RuleTable component_type_unknown() {
  const std::vector<Place> warned{{"spec.services[A].componentType", ""}};
  const std::vector<Finding> denied{{kInvalid, "spec.services[A].componentType"}};
  return {"dgd.component-type.unknown", kGraphDeployment, {
      {.name = "known",
       .spec = "{services: {A: {componentType: frontend}, B: {componentType: worker}, C: {componentType: prefill}, " "D: {componentType: decode}, E: {componentType: planner}}}"},
      {.name = "free",
       .spec = "{services: {A: {componentType: main}, B: {componentType: default}, C: {componentType: gateway}}}",
       .warnings = {{"spec.services[A].componentType", ""}, {"spec.services[B].componentType", ""}, {"spec.services[C].componentType", ""}}},
      {.name = "free_for_the_first_operator",
       .spec = "{services: {A: {componentType: main}, B: {componentType: default}, C: {componentType: encode}, " "D: {componentType: app}, E: {componentType: Router}, F: {componentType: gateway}}}",
       .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "free_for_later_operators",
       .spec = "{services: {A: {componentType: main}, B: {componentType: gateway}, C: {componentType: prefill}}}",
       .errors = {{kNotSupported, "spec.services[A].componentType"}, {kNotSupported, "spec.services[B].componentType"}},
       .facts = {.operator_generation = api::OperatorGeneration::kLater}},
      {.name = "absent", .spec = "{services: {A: {}, B: {componentType: ''}}}"},
      {.name = "another_case", .spec = "{services: {A: {componentType: Frontend}}}", .warnings = warned},
      {.name = "an_upper_case_epp", .spec = "{services: {A: {componentType: EPP}}}", .warnings = warned},
      {.name = "a_plural", .spec = "{services: {A: {componentType: workers}}}", .warnings = warned},
      {.name = "two_letters_swapped", .spec = "{services: {A: {componentType: frotnend}}}", .warnings = warned},
      {.name = "no_label", .spec = "{services: {A: {componentType: 'a b'}}}", .errors = denied},
      {.name = "a_label_of_63", .spec = "{services: {A: {componentType: " LETTERS_60 "aaa}}}",
       .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "a_label_of_64", .spec = "{services: {A: {componentType: " LETTERS_60 "aaaa}}}", .errors = denied},
      {.name = "a_component", .spec = "{componentType: Worker}", .warnings = {{"spec.componentType", ""}}, .kind = kComponentDeployment},
      {.name = "an_old_fault_stays", .spec = "{services: {A: {componentType: Worker, replicas: 2}}}",
       .old_spec = "{services: {A: {componentType: Worker}}}"},
      {.name = "a_new_fault", .spec = "{services: {A: {componentType: wroker}}}", .old_spec = "{services: {A: {componentType: Worker}}}",
       .warnings = warned},
  }};
}

RuleTable component_type_missing() {
  const std::vector<Place> warned{{"spec.services[A].componentType", ""}};
  return {"dgd.component-type.missing", kGraphDeployment, {
      {.name = "given", .spec = "{services: {A: {componentType: main}}}"},
      {.name = "absent", .spec = "{services: {A: {}}}", .warnings = warned},
      {.name = "empty", .spec = "{services: {A: {componentType: ''}}}", .warnings = warned},
      {.name = "of_the_wrong_type", .spec = "{services: {A: {componentType: 7}}}",
       .errors = {{kTypeInvalid, "spec.services[A].componentType", "type.mismatch"}}},
      {.name = "a_component", .spec = "{dynamoNamespace: x}", .warnings = {{"spec.componentType", ""}}, .kind = kComponentDeployment},
      {.name = "an_old_fault_stays", .spec = "{services: {A: {replicas: 2}}}", .old_spec = "{services: {A: {}}}"},
      {.name = "a_new_fault", .spec = "{services: {A: {}}}", .old_spec = "{services: {A: {componentType: main}}}", .warnings = warned},
  }};
}

RuleTable job_length() {
#define REQUEST_SPEC "model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {a: {}}}"
#define REQUEST(name, more) \
  "{metadata: {name: " name ", namespace: default}, spec: {" REQUEST_SPEC more "}}"
#define OVERRIDE(name) ", deploymentOverrides: {name: " name "}"
#define CHECKPOINT(name)                                                              \
  "{metadata: {name: " name ", namespace: default}, spec: {identity: {model: m, "      \
  "backendFramework: vllm}, job: {podTemplateSpec: {spec: {containers: [{name: c, " \
  "image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}}"
  const std::vector<Finding> denied{{kTooLong, "metadata.name"}};
  const std::vector<Place> warned{{"spec.deploymentOverrides.name", ""}};
  return {"job.name.length", kGraphDeploymentRequest, {
      {.name = "fifty_five", .object = REQUEST(LETTERS_40 LETTERS_10 "aaaaa", "")},
      {.name = "fifty_six", .errors = denied, .object = REQUEST(LETTERS_40 LETTERS_10 "aaaaaa", "")},
      {.name = "a_checkpoint_of_fifty_two", .object = CHECKPOINT(LETTERS_40 LETTERS_10 "aa"), .kind = kCheckpoint},
      {.name = "a_checkpoint_of_fifty_three", .errors = denied, .object = CHECKPOINT(LETTERS_40 LETTERS_10 "aaa"), .kind = kCheckpoint, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "a_good_override", .object = REQUEST("r", OVERRIDE("llama-3"))},
      {.name = "an_override_with_a_dot", .warnings = warned, .object = REQUEST("r", OVERRIDE("llama-3.1"))},
      {.name = "an_override_with_a_digit_in_front", .warnings = warned, .object = REQUEST("r", OVERRIDE("3b"))},
      {.name = "an_override_in_upper_case", .warnings = warned, .object = REQUEST("r", OVERRIDE("Llama"))},
      {.name = "an_override_of_fifty_five", .object = REQUEST("r", OVERRIDE(LETTERS_40 LETTERS_10 "aaaaa"))},
      {.name = "an_override_of_fifty_six", .warnings = warned, .object = REQUEST("r", OVERRIDE(LETTERS_40 LETTERS_10 "aaaaaa"))},
      {.name = "an_override_in_a_namespace_of_one_letter",
       .object = REQUEST("r", ", deploymentOverrides: {namespace: m, name: " LETTERS_60 "a}")},
      {.name = "an_old_fault_stays", .object = REQUEST("r", OVERRIDE("3b")), .old_object = REQUEST("r", OVERRIDE("3b"))},
      {.name = "a_new_fault", .warnings = warned, .object = REQUEST("r", OVERRIDE("3b")), .old_object = REQUEST("r", "")},
  }};
#undef REQUEST_SPEC
#undef REQUEST
#undef OVERRIDE
#undef CHECKPOINT
}

RuleTable namespace_scope() {
#define IN(space) "{metadata: {name: a, namespace: " space "}, spec: {services: {A: {}}}}"
  const std::vector<Place> warned{{"metadata.namespace", ""}};
  const api::Settings restricted{.operator_version = "", .operator_service_account = std::nullopt, .restricted_namespace = "ephemeral"};
  return {"cross.namespace-scope", kGraphDeployment, {
      {.name = "another", .object = IN("team-a")},
      {.name = "ephemeral", .warnings = warned, .object = IN("ephemeral")},
      {.name = "ephemeral_at_the_end", .warnings = warned, .object = IN("team-a-ephemeral")},
      {.name = "ephemeral_inside", .warnings = warned, .object = IN("notephemerally")},
      {.name = "half_of_it", .object = IN("team-ephemera")},
      {.name = "an_operator_of_its_own", .settings = restricted, .object = IN("ephemeral")},
      {.name = "a_model", .warnings = warned,
       .object = "{metadata: {name: a, namespace: ephemeral}, spec: {modelName: m, baseModelName: m}}", .kind = kModel},
      {.name = "a_scaling_adapter", .warnings = warned,
       .object = "{metadata: {name: a, namespace: ephemeral}, spec: {replicas: 1, dgdRef: {name: a, serviceName: b}}}", .kind = kScalingAdapter},
      {.name = "it_comes_there", .warnings = warned, .object = IN("ephemeral"), .old_object = IN("team-a")},
      {.name = "it_was_there_before", .object = IN("ephemeral"), .old_object = IN("ephemeral")},
  }};
#undef IN
}

}  // namespace

std::vector<RuleTable> naming_tables() {
  return {name_collision(), name_dns(), dot_or_digit(), grove_length(), label_length(),
          service_length(), leader_worker_set_length(), component_type_unknown(), component_type_missing(),
          job_length(), namespace_scope()};
}

// clang-format on

}  // namespace dynamo::test

#undef LETTERS_10
#undef LETTERS_20
#undef LETTERS_40
#undef LETTERS_60
#undef GRAPH
#undef COMPONENT

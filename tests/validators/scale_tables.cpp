#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

using api::Fact;

const api::ClusterFacts kGrove{.grove_served = Fact::kYes};
const api::ClusterFacts kNoGrove{.grove_served = Fact::kNo};
const api::ClusterFacts kLeaderWorkerSets{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kYes};

#define SURGE "nvidia.com/deployment-rolling-update-max-surge"
#define UNAVAILABLE "nvidia.com/deployment-rolling-update-max-unavailable"
#define STRATEGY "nvidia.com/deployment-strategy"
#define ANNOTATED(annotations) SERVICE("annotations: {" annotations "}")
#define BOTH(surge, unavailable) SURGE ": '" surge "', " UNAVAILABLE ": '" unavailable "'"

// Annotations of the service, and those for its pods.
#define OVER(annotations, over) SERVICE("annotations: {" annotations "}, extraPodMetadata: {annotations: {" over "}}")

RuleTable rolling_annotations() {
  const auto at = [](std::string_view key) { return in_service("annotations[" + std::string(key) + "]"); };
  const auto over = [](std::string_view key) { return in_service("extraPodMetadata.annotations[" + std::string(key) + "]"); };
  const std::vector<Finding> surge{{kInvalid, at(SURGE)}};
  const std::vector<Finding> unavailable{{kInvalid, at(UNAVAILABLE)}};
  RuleTable table{"rolling.annotations", kGraphDeployment, {
      {.name = "numbers", .spec = ANNOTATED(BOTH("1", "0")), .facts = kNoGrove},
      {.name = "percents", .spec = ANNOTATED(BOTH("150%", "100%")), .facts = kNoGrove},
      {.name = "more_than_all", .spec = ANNOTATED(BOTH("1", "101%")), .errors = unavailable, .facts = kNoGrove},
      {.name = "both_zero", .spec = ANNOTATED(BOTH("0", "0%")), .errors = unavailable, .facts = kNoGrove},
      {.name = "one_zero_and_the_other_by_default", .spec = ANNOTATED(SURGE ": '0'"), .facts = kNoGrove},
      {.name = "a_word", .spec = ANNOTATED(SURGE ": all"), .errors = surge, .facts = kNoGrove},
      {.name = "a_word_of_the_other", .spec = ANNOTATED(UNAVAILABLE ": half"), .errors = unavailable, .facts = kNoGrove},
      {.name = "below_zero", .spec = ANNOTATED(SURGE ": '-1'"), .errors = surge, .facts = kNoGrove},
      {.name = "a_fraction", .spec = ANNOTATED(SURGE ": '2.5%'"), .errors = surge, .facts = kNoGrove},
      {.name = "a_percent_sign_alone", .spec = ANNOTATED(SURGE ": '%'"), .errors = surge, .facts = kNoGrove},
      {.name = "the_largest_number", .spec = ANNOTATED(SURGE ": '2147483647'"), .facts = kNoGrove},
      {.name = "too_large_a_number", .spec = ANNOTATED(SURGE ": '2147483648'"), .errors = surge, .facts = kNoGrove},
      {.name = "a_number_with_a_sign_is_not_validated", .spec = ANNOTATED(SURGE ": '+1'"), .facts = kNoGrove},
      {.name = "an_empty_one_is_not_validated", .spec = ANNOTATED(BOTH("", "0")), .facts = kNoGrove},
      {.name = "a_deployment_perhaps", .spec = ANNOTATED(BOTH("0", "0")), .warnings = {{at(UNAVAILABLE), ""}}},
      {.name = "recreated", .spec = ANNOTATED(STRATEGY ": Recreate, " BOTH("0", "0")), .facts = kNoGrove},
      {.name = "rolled", .spec = ANNOTATED(STRATEGY ": RollingUpdate"), .facts = kNoGrove},
      {.name = "a_strategy_in_another_case", .spec = ANNOTATED(STRATEGY ": recreate"), .warnings = {{at(STRATEGY), ""}}, .facts = kNoGrove},
      {.name = "no_strategy", .spec = ANNOTATED(STRATEGY ": ''"), .facts = kNoGrove},
      {.name = "on_grove", .spec = ANNOTATED(STRATEGY ": Recreate, " BOTH("0", "0")),
       .warnings = {{at(SURGE), ""}, {at(UNAVAILABLE), ""}, {at(STRATEGY), ""}}, .facts = kGrove},
      {.name = "on_grove_that_is_switched_off", .warnings = {},
       .object = "{metadata: {name: chat, annotations: {nvidia.com/enable-grove: 'false'}}, spec: {services: {W: {componentType: worker, annotations: {" BOTH("1", "1") "}}}}}",
       .facts = kGrove},
      {.name = "on_several_nodes", .spec = SERVICE("multinode: {nodeCount: 2}, annotations: {" SURGE ": '0'}"),
       .warnings = {{at(SURGE), ""}}, .facts = kLeaderWorkerSets},
      {.name = "on_several_nodes_of_whatever_kind", .spec = SERVICE("multinode: {nodeCount: 2}, annotations: {" BOTH("0", "0") "}")},
      {.name = "of_the_graph",
       .warnings = {{"metadata.annotations[" SURGE "]", ""}, {"metadata.annotations[" STRATEGY "]", ""}},
       .object = "{metadata: {name: chat, annotations: {" STRATEGY ": Recreate, " SURGE ": '1'}}, spec: {services: {W: {componentType: worker}}}}"},
      {.name = "of_a_component", .spec = "{dynamoNamespace: x, componentType: worker, annotations: {" BOTH("0", "0") "}}",
       .errors = {{kInvalid, "spec.annotations[" UNAVAILABLE "]"}}, .kind = kComponentDeployment},
      {.name = "beside_the_spec_of_a_component",
       .object = "{metadata: {name: w, annotations: {" STRATEGY ": Recreate}}, spec: {dynamoNamespace: x, componentType: worker}}", .kind = kComponentDeployment},
      {.name = "zeros_over_which_the_pods_annotations_stand", .spec = OVER(BOTH("0", "0"), UNAVAILABLE ": '1'"), .facts = kNoGrove},
      {.name = "zeros_of_the_pods_annotations_alone", .spec = OVER("", BOTH("0", "0")), .errors = {{kInvalid, over(UNAVAILABLE)}}, .facts = kNoGrove},
      {.name = "zeros_in_two_places", .spec = OVER(UNAVAILABLE ": '0'", SURGE ": 0%"), .errors = unavailable, .facts = kNoGrove},
      {.name = "a_zero_over_another_number", .spec = OVER(BOTH("0", "1"), UNAVAILABLE ": '0'"), .errors = {{kInvalid, over(UNAVAILABLE)}}, .facts = kNoGrove},
      {.name = "more_than_all_over_a_number", .spec = OVER(BOTH("1", "0"), UNAVAILABLE ": 101%"), .errors = {{kInvalid, over(UNAVAILABLE)}}, .facts = kNoGrove},
      {.name = "a_word_over_a_number", .spec = OVER(SURGE ": '1'", SURGE ": all"), .errors = {{kInvalid, over(SURGE)}}, .facts = kNoGrove},
      {.name = "a_number_over_a_word", .spec = OVER(SURGE ": all", SURGE ": '1'"), .facts = kNoGrove},
      {.name = "a_word_of_the_pods_annotations_while_recreated", .spec = OVER(STRATEGY ": Recreate", SURGE ": all"), .facts = kNoGrove},
      {.name = "a_strategy_of_the_pods_annotations", .spec = OVER("", STRATEGY ": Recreate, " BOTH("0", "0")),
       .errors = {{kInvalid, over(UNAVAILABLE)}}, .warnings = {{over(STRATEGY), ""}}, .facts = kNoGrove},
      {.name = "of_the_pods_of_a_component",
       .spec = "{dynamoNamespace: x, componentType: worker, annotations: {" SURGE ": '1'}, extraPodMetadata: {annotations: {" BOTH("0", "0") "}}}",
       .errors = {{kInvalid, "spec.extraPodMetadata.annotations[" UNAVAILABLE "]"}}, .kind = kComponentDeployment},
      {.name = "of_the_pods_on_grove", .spec = OVER("", SURGE ": all"), .warnings = {{over(SURGE), ""}}, .facts = kGrove},
      {.name = "an_old_fault_stays", .spec = ANNOTATED(BOTH("0", "0")), .old_spec = ANNOTATED(BOTH("0", "0")), .facts = kNoGrove},
      {.name = "a_new_fault", .spec = ANNOTATED(BOTH("0", "0")), .old_spec = ANNOTATED(BOTH("1", "0")), .errors = unavailable, .facts = kNoGrove},
  }};
  return table;
}

// A graph with a restart, and the status of its last one.
#define RESTARTED(restart, status) \
  "{metadata: {name: chat}, spec: {restart: {" restart "}, services: {V: {componentType: worker}, W: {componentType: worker}}}, status: {restart: {" status "}}}"
#define ENDED(id) "observedID: " id ", phase: Completed"
#define RUNNING(id) "observedID: " id ", phase: Restarting"

RuleTable restart_request() {
  const std::vector<Place> warned{{"spec.restart.id", ""}};
  const auto row = [](std::string_view name, std::string_view now, std::string_view old, std::vector<Place> warnings) {
    return Row{.name = name, .warnings = std::move(warnings), .object = now, .old_object = old};
  };
  return {"restart.request", kGraphDeployment, {
      {.name = "on_create", .object = RESTARTED("id: a", ENDED("a"))},
      row("a_new_id", RESTARTED("id: b", ENDED("a")), RESTARTED("id: a", ENDED("a")), {}),
      row("a_new_id_and_another_strategy", RESTARTED("id: b, strategy: {type: Parallel}", ENDED("a")), RESTARTED("id: a", ENDED("a")), {}),
      row("another_strategy", RESTARTED("id: a, strategy: {type: Parallel}", ENDED("a")), RESTARTED("id: a", ENDED("a")), warned),
      row("another_order", RESTARTED("id: a, strategy: {type: Sequential, order: [W, V]}", ENDED("a")),
          RESTARTED("id: a, strategy: {type: Sequential, order: [V, W]}", ENDED("a")), warned),
      row("another_strategy_after_a_failure", RESTARTED("id: a, strategy: {type: Parallel}", "observedID: a, phase: Failed"),
          RESTARTED("id: a", "observedID: a, phase: Failed"), warned),
      row("another_order_on_the_way", RESTARTED("id: a, strategy: {type: Sequential, order: [W, V]}", RUNNING("a")),
          RESTARTED("id: a, strategy: {type: Sequential, order: [V, W]}", RUNNING("a")), {}),
      row("another_strategy_before_it_was_seen", RESTARTED("id: b, strategy: {type: Parallel}", ENDED("a")), RESTARTED("id: b", ENDED("a")), {}),
      row("the_same_strategy", RESTARTED("id: a, strategy: {order: [W, V], type: Sequential}", ENDED("a")),
          RESTARTED("id: a, strategy: {type: Sequential, order: [W, V]}", ENDED("a")), {}),
      row("a_new_id_on_the_way", RESTARTED("id: b", RUNNING("a")), RESTARTED("id: a", RUNNING("a")), warned),
      row("back_to_the_id_on_the_way", RESTARTED("id: a", RUNNING("a")), RESTARTED("id: b", RUNNING("a")), {}),
      row("an_id_that_was_new_before", RESTARTED("id: b", RUNNING("a")), RESTARTED("id: b", RUNNING("a")), {}),
      row("no_restart_any_more", "{metadata: {name: chat}, spec: {services: {V: {componentType: worker}, W: {componentType: worker}}}}",
          RESTARTED("id: a", RUNNING("a")), {}),
      row("the_first_restart", RESTARTED("id: a", ""), RESTARTED("id: b", ""), {}),
  }};
}

#define REPLICAS(v, w) "{services: {F: {componentType: frontend, replicas: 0}, V: {componentType: prefill, replicas: " v "}, W: {componentType: decode, replicas: " w "}}}"
#define NODES(replicas) "{services: {V: {componentType: worker}, W: {componentType: worker, multinode: {nodeCount: 2}, replicas: " replicas "}}}"

RuleTable zero_replicas() {
  const std::vector<Finding> denied{{kInvalid, in_service("replicas")}};
  const std::vector<Place> warned{{in_service("replicas"), ""}};
  const std::vector<Place> parked{{"spec.services", ""}};
  return {"scale.zero", kGraphDeployment, {
      {.name = "some", .spec = REPLICAS("1", "2")},
      {.name = "one_of_two", .spec = REPLICAS("0", "1")},
      {.name = "all", .spec = REPLICAS("0", "0"), .warnings = parked},
      {.name = "all_on_grove", .spec = REPLICAS("0", "0"), .warnings = parked, .facts = kGrove},
      {.name = "by_default_there_is_one", .spec = "{services: {W: {componentType: worker}}}"},
      {.name = "no_workers", .spec = "{services: {F: {componentType: frontend, replicas: 0}, X: {componentType: main, replicas: 0}}}"},
      {.name = "several_nodes_on_grove", .spec = NODES("0"), .errors = denied, .facts = kGrove},
      {.name = "several_nodes_on_grove_perhaps", .spec = NODES("0"), .warnings = warned},
      {.name = "several_nodes_without_grove", .spec = NODES("0"), .facts = kLeaderWorkerSets},
      {.name = "several_nodes_with_grove_switched_off",
       .object = "{metadata: {name: chat, annotations: {nvidia.com/enable-grove: 'false'}}, spec: " NODES("0") "}", .facts = kGrove},
      {.name = "several_nodes_with_a_replica", .spec = NODES("1"), .facts = kGrove},
      {.name = "several_nodes_of_the_only_worker",
       .spec = "{services: {W: {componentType: worker, multinode: {nodeCount: 2}, replicas: 0}}}", .errors = denied, .warnings = parked, .facts = kGrove},
      {.name = "an_old_fault_stays", .spec = NODES("0"), .old_spec = NODES("0"), .facts = kGrove},
      {.name = "a_new_fault", .spec = NODES("0"), .old_spec = NODES("1"), .errors = denied, .facts = {.grove_served = Fact::kYes, .operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "a_new_fault_of_another_operator", .spec = NODES("0"), .old_spec = NODES("1"), .warnings = {{denied.front().field, ""}}, .facts = kGrove},
      {.name = "a_parked_graph_stays", .spec = REPLICAS("0", "0"), .old_spec = REPLICAS("0", "0")},
      {.name = "a_graph_is_parked", .spec = REPLICAS("0", "0"), .old_spec = REPLICAS("0", "1"), .warnings = parked},
  }};
}

#define ADAPTED(replicas) SERVICE(replicas "scalingAdapter: {enabled: true}")
#define UNADAPTED(replicas) SERVICE(replicas "scalingAdapter: {enabled: false}")

RuleTable adapter_replicas() {
  constexpr std::string_view kPlanner = "system:serviceaccount:default:planner-serviceaccount";
  const std::vector<Place> warned{{in_service("replicas"), ""}};
  const std::vector<Finding> refused{{kForbidden, in_service("replicas"), "dgd.replicas.scaled-elsewhere"}};
  return {"scale.adapter-replicas", kGraphDeployment, {
      {.name = "on_create", .spec = ADAPTED("")},
      {.name = "left_out", .spec = ADAPTED(""), .old_spec = ADAPTED("replicas: 3, "), .warnings = warned, .user = kPlanner},
      {.name = "left_out_at_zero", .spec = ADAPTED(""), .old_spec = ADAPTED("replicas: 0, "), .warnings = warned, .user = kPlanner},
      {.name = "left_out_by_a_person", .spec = ADAPTED(""), .old_spec = ADAPTED("replicas: 3, "), .errors = refused, .warnings = warned},
      {.name = "left_out_at_one", .spec = ADAPTED(""), .old_spec = ADAPTED("replicas: 1, ")},
      {.name = "always_left_out", .spec = ADAPTED(""), .old_spec = ADAPTED("")},
      {.name = "given", .spec = ADAPTED("replicas: 3, "), .old_spec = ADAPTED("replicas: 3, ")},
      {.name = "left_out_without_an_adapter", .spec = UNADAPTED(""), .old_spec = UNADAPTED("replicas: 3, ")},
      {.name = "left_out_while_enabling", .spec = ADAPTED(""), .old_spec = UNADAPTED("replicas: 3, "), .user = kPlanner},
      {.name = "a_new_service", .spec = ADAPTED(""), .old_spec = "{services: {}}",
       .errors = {{kForbidden, "spec.services", "dgd.topology.services"}}},
  }};
}

#define ADAPTER(name, graph, service) \
  "{metadata: {name: " name "}, spec: {replicas: 2, dgdRef: {name: " graph ", serviceName: " service "}}}"
#define PICKER(fields) "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, " fields "}, W: {componentType: worker, scalingAdapter: {enabled: true}}}}"

RuleTable adapter_target() {
  const std::vector<Place> second{{"spec.dgdRef.serviceName", ""}};
  const std::vector<Place> picker{{"spec.services[E].scalingAdapter.enabled", ""}};
  return {"dgdsa.target", kScalingAdapter, {
      {.name = "the_operators_own", .object = ADAPTER("chat-decode", "chat", "Decode")},
      {.name = "another", .warnings = second, .object = ADAPTER("mine", "chat", "Decode")},
      {.name = "of_another_service", .warnings = second, .object = ADAPTER("chat-decode", "chat", "Prefill")},
      {.name = "of_another_graph", .warnings = second, .object = ADAPTER("chat-decode", "search", "Decode")},
      {.name = "in_the_case_of_the_service", .warnings = second, .object = ADAPTER("chat-Decode", "chat", "Decode")},
      {.name = "a_name_that_comes_later",
       .object = "{metadata: {generateName: chat-}, spec: {replicas: 2, dgdRef: {name: chat, serviceName: Decode}}}"},
      {.name = "no_graph", .errors = {{kRequired, "spec.dgdRef.name", "dgdsa.ref.name"}}, .object = ADAPTER("mine", "''", "Decode")},
      {.name = "no_service", .errors = {{kRequired, "spec.dgdRef.serviceName", "dgdsa.ref.service"}}, .object = ADAPTER("mine", "chat", "''")},
      {.name = "no_graph_can_have_the_name", .warnings = {{"spec.dgdRef.name", ""}}, .object = ADAPTER("chat-decode", "Chat", "Decode")},
      {.name = "an_adapter_that_exists_stays", .object = ADAPTER("mine", "chat", "Decode"), .old_object = ADAPTER("mine", "chat", "Decode")},
      {.name = "of_an_endpoint_picker", .spec = PICKER("scalingAdapter: {enabled: true}"), .warnings = picker, .kind = kGraphDeployment},
      {.name = "of_an_endpoint_picker_switched_off", .spec = PICKER("scalingAdapter: {enabled: false}"), .kind = kGraphDeployment},
      {.name = "an_old_fault_stays", .spec = PICKER("scalingAdapter: {enabled: true}"), .old_spec = PICKER("scalingAdapter: {enabled: true}"),
       .kind = kGraphDeployment},
      {.name = "a_new_fault", .spec = PICKER("scalingAdapter: {enabled: true}"), .old_spec = PICKER(""), .warnings = picker, .kind = kGraphDeployment},
  }};
}

}  // namespace

std::vector<RuleTable> scale_tables() {
  return {rolling_annotations(), restart_request(), zero_replicas(), adapter_replicas(), adapter_target()};
}

// clang-format on

}  // namespace dynamo::test

#undef SURGE
#undef UNAVAILABLE
#undef STRATEGY
#undef ANNOTATED
#undef OVER
#undef BOTH
#undef RESTARTED
#undef ENDED
#undef RUNNING
#undef REPLICAS
#undef NODES
#undef ADAPTED
#undef UNADAPTED
#undef ADAPTER
#undef PICKER

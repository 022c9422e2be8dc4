#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

using api::Fact;
using api::OperatorGeneration;

const api::ClusterFacts kFirst{.operator_generation = OperatorGeneration::kFirst};
const api::ClusterFacts kLater{.operator_generation = OperatorGeneration::kLater};

// The spec of a worker W with that command line.
#define STARTED(more, command) \
  "{services: {W: {componentType: worker, " more "extraPodSpec: {mainContainer: {" command "}}}}}"

RuleTable backend_mismatch() {
#define DECLARED(framework, command) \
  "{backendFramework: " framework ", services: {W: {componentType: worker, extraPodSpec: {mainContainer: {" command "}}}}}"
#define RUNS(engine) "command: [python3, -m, dynamo." engine "], args: [--model, m]"
  const std::vector<Finding> denied{{kInvalid, in_main("args")}};
  return with_updates({"dgd.backend.mismatch", kGraphDeployment, {
      {.name = "the_same", .spec = DECLARED("vllm", RUNS("vllm"))},
      {.name = "not_declared", .spec = STARTED("", RUNS("sglang"))},
      {.name = "not_detected", .spec = DECLARED("vllm", "command: [/start.sh], args: [sglang]")},
      {.name = "another", .spec = DECLARED("vllm", RUNS("sglang")), .errors = denied},
      {.name = "another_in_a_command", .spec = DECLARED("vllm", "command: [python3, -m, dynamo.trtllm]"),
       .errors = {{kInvalid, in_main("command")}}},
      {.name = "another_in_a_shell",
       .spec = DECLARED("sglang", "command: [sh, -c], args: ['cd /w && python3.11 -m dynamo.vllm --model m']"), .errors = denied},
      {.name = "several_and_none_declared",
       .spec = STARTED("", "command: [sh, -c], args: ['python3 -m dynamo.vllm & python3 -m dynamo.sglang']"), .errors = denied},
      {.name = "several_and_one_declared",
       .spec = DECLARED("vllm", "command: [sh, -c], args: ['python3 -m dynamo.vllm & python3 -m dynamo.sglang']")},
      {.name = "a_frontend_is_not_looked_at",
       .spec = "{backendFramework: vllm, services: {F: {componentType: frontend, extraPodSpec: {mainContainer: {" RUNS("sglang") "}}}}}"},
      {.name = "a_component",
       .spec = "{dynamoNamespace: x, backendFramework: vllm, componentType: decode, extraPodSpec: {mainContainer: {" RUNS("sglang") "}}}",
       .errors = {{kInvalid, "spec.extraPodSpec.mainContainer.args"}}, .kind = kComponentDeployment},
  }}, DECLARED("vllm", RUNS("sglang")), DECLARED("vllm", RUNS("vllm")), denied);
#undef DECLARED
#undef RUNS
}

RuleTable planner_targets() {
#define PLANNER(args) "P: {componentType: planner, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.planner.planner_sla], args: [" args "]}}}"
#define TARGET(name, role, resources, args) \
  name ": {componentType: worker, subComponentType: " role ", resources: {" resources "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" args "]}}}"
#define GPU "limits: {gpu: '1'}"
#define PREFILL TARGET("F", "prefill", GPU, "--model, m, --is-prefill-worker")
#define DECODE TARGET("D", "decode", GPU, "--model, m")
#define BOTH(planner) "{services: {" PLANNER(planner) ", " PREFILL ", " DECODE "}}"
  const std::vector<Place> planner{{"spec.services[P]", ""}};
  const std::vector<Place> of_decode{{"spec.services[D].extraPodSpec.mainContainer.args", ""}};
  return with_updates({"dgd.planner.targets", kGraphDeployment, {
      {.name = "both", .spec = BOTH("--environment=kubernetes")},
      {.name = "no_planner", .spec = "{services: {" DECODE "}}"},
      {.name = "no_prefill", .spec = "{services: {" PLANNER("") ", " DECODE "}}", .warnings = planner},
      {.name = "neither", .spec = "{services: {" PLANNER("") ", W: {componentType: worker}}}",
       .warnings = planner},
      {.name = "two_decode",
       .spec = "{services: {" PLANNER("") ", " PREFILL ", " DECODE ", " TARGET("E", "decode", GPU, "--model, m") "}}",
       .warnings = {{"spec.services[E].subComponentType", ""}}},
      {.name = "decode_only_by_mode", .spec = "{services: {" PLANNER("--mode, decode") ", " DECODE "}}"},
      {.name = "prefill_only_by_mode", .spec = "{services: {" PLANNER("--mode=prefill") ", " DECODE "}}", .warnings = planner},
      {.name = "disaggregated_by_mode", .spec = "{services: {" PLANNER("--mode=disagg") ", " DECODE "}}", .warnings = planner},
      {.name = "another_mode", .spec = "{services: {" PLANNER("--mode=agg") "}}"},
      {.name = "a_mode_in_a_shell",
       .spec = "{services: {P: {componentType: planner, extraPodSpec: {mainContainer: {command: [sh, -c], args: ['python3 -m dynamo.planner --mode decode']}}}, " DECODE "}}"},
      {.name = "a_global_planner",
       .spec = "{services: {P: {componentType: planner, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.global_planner]}}}}}"},
      {.name = "another_environment", .spec = "{services: {" PLANNER("--environment=virtual") "}}"},
      {.name = "a_configuration_file", .spec = "{services: {" PLANNER("--config, /etc/planner.yaml") "}}"},
      {.name = "arguments_of_a_variable", .spec = "{services: {" PLANNER("$(PLANNER_ARGS)") "}}"},
      {.name = "no_gpus",
       .spec = "{services: {" PLANNER("--mode=decode") ", " TARGET("D", "decode", "limits: {cpu: '1'}", "--model, m") "}}",
       .warnings = {{"spec.services[D].resources", ""}}},
      {.name = "gpus_among_the_requests",
       .spec = "{services: {" PLANNER("--mode=decode") ", " TARGET("D", "decode", "requests: {gpu: '2'}", "--model, m") "}}"},
      {.name = "no_gpus_for_a_mocker",
       .spec = "{services: {" PLANNER("--mode=decode") ", D: {subComponentType: decode, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker], args: [--model-name, m]}}}}}"},
      {.name = "no_model", .spec = "{services: {" PLANNER("--mode=decode") ", " TARGET("D", "decode", GPU, "--model-path, m") "}}",
       .warnings = of_decode},
      {.name = "a_model_of_a_variable",
       .spec = "{services: {" PLANNER("--mode=decode") ", " TARGET("D", "decode", GPU, "$(ENGINE_ARGS)") "}}"},
      {.name = "a_served_name",
       .spec = "{services: {" PLANNER("--mode=decode") ", " TARGET("D", "decode", GPU, "--model-path, m, --served-model-name=n") "}}"},
      {.name = "two_models", .spec = "{services: {" PLANNER("") ", " PREFILL ", " TARGET("D", "decode", GPU, "--model, other") "}}",
       .warnings = of_decode},
      {.name = "one_served_name",
       .spec = "{services: {" PLANNER("") ", " PREFILL ", " TARGET("D", "decode", GPU, "--model, other, --served-model-name, m") "}}"},
      {.name = "a_name_that_is_not_known",
       .spec = "{services: {" PLANNER("") ", " PREFILL ", " TARGET("D", "decode", GPU, "--model, $(MODEL)") "}}"},
  }}, "{services: {" PLANNER("") ", " PREFILL ", " TARGET("D", "decode", GPU, "--model, other") "}}", BOTH(""), {}, of_decode);
#undef PLANNER
#undef TARGET
#undef GPU
#undef PREFILL
#undef DECODE
#undef BOTH
}

RuleTable role_flag() {
#define BESIDE_PREFILL(role, args) \
  "{services: {P: {componentType: worker, subComponentType: prefill, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang], args: [--disaggregation-mode, prefill]}}}, " \
  "W: {componentType: worker, subComponentType: " role ", extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang], args: [--model, m" args "]}}}}}"
#define ROLE(role, engine, args) STARTED("subComponentType: " role ", ", "command: [python3, -m, dynamo." engine "], args: [--model, m" args "]")
  const std::vector<Place> warned{{in_main("args"), ""}};
  return with_updates({"dgd.disagg.role-flag", kGraphDeployment, {
      {.name = "vllm_prefill", .spec = ROLE("prefill", "vllm", ", --is-prefill-worker")},
      {.name = "vllm_prefill_by_mode", .spec = ROLE("prefill", "vllm", ", --disaggregation-mode, prefill")},
      {.name = "vllm_prefill_without", .spec = ROLE("prefill", "vllm", ""), .warnings = warned},
      {.name = "vllm_decode_without", .spec = ROLE("decode", "vllm", "")},
      {.name = "vllm_decode_that_prefills", .spec = ROLE("decode", "vllm", ", --is-prefill-worker"), .warnings = warned},
      {.name = "sglang_decode", .spec = ROLE("decode", "sglang", ", --disaggregation-mode=decode")},
      {.name = "sglang_decode_without", .spec = BESIDE_PREFILL("decode", ""), .warnings = warned},
      {.name = "sglang_decode_beside_prefill", .spec = BESIDE_PREFILL("decode", ", --disaggregation-mode=decode")},
      {.name = "sglang_decode_where_nobody_prefills", .spec = ROLE("decode", "sglang", "")},
      {.name = "trtllm_decode_where_nobody_prefills", .spec = ROLE("decode", "trtllm", "")},
      {.name = "trtllm_prefill_that_decodes", .spec = ROLE("prefill", "trtllm", ", --disaggregation-mode, decode"), .warnings = warned},
      {.name = "trtllm_of_both_roles", .spec = ROLE("prefill", "trtllm", ", --disaggregation-mode, prefill_and_decode")},
      {.name = "a_mode_of_a_variable", .spec = ROLE("prefill", "sglang", ", --disaggregation-mode, $(MODE)")},
      {.name = "arguments_of_a_variable", .spec = ROLE("prefill", "vllm", ", $(ROLE_ARGS)")},
      {.name = "a_role_by_variable",
       .spec = STARTED("subComponentType: prefill, envs: [{name: DYN_VLLM_IS_PREFILL_WORKER, value: 'true'}], ", "command: [python3, -m, dynamo.vllm]")},
      {.name = "an_engine_that_is_not_detected", .spec = STARTED("subComponentType: prefill, ", "command: [/start.sh]")},
      {.name = "a_flag_without_a_role", .spec = STARTED("", "command: [python3, -m, dynamo.vllm], args: [--is-prefill-worker]")},
      {.name = "in_a_shell",
       .spec = STARTED("subComponentType: prefill, ", "command: [sh, -c], args: ['exec python3 -m dynamo.vllm --is-prefill-worker']")},
      {.name = "in_a_command", .spec = STARTED("subComponentType: prefill, ", "command: [python3, -m, dynamo.vllm]"),
       .warnings = {{in_main("command"), ""}}},
  }}, ROLE("prefill", "vllm", ""), ROLE("prefill", "vllm", ", --is-prefill-worker"), {}, warned);
#undef ROLE
#undef BESIDE_PREFILL
}

RuleTable annotation_value() {
#define OF_GRAPH(annotations) "{metadata: {name: g, annotations: {" annotations "}}, spec: {services: {W: {}}}}"
#define OF_WORKERS(annotations, worker) "{metadata: {name: g, annotations: {" annotations "}}, spec: {services: {W: {" worker "}}}}"
#define OF_SERVICE(annotations) "{services: {W: {annotations: {" annotations "}}}}"
  const auto of_graph = [](std::string_view key) { return "metadata.annotations[nvidia.com/" + std::string(key) + "]"; };
  const auto of_service = [](std::string_view key) { return "spec.services[W].annotations[nvidia.com/" + std::string(key) + "]"; };
  const api::ClusterFacts first_on_grove{.grove_served = Fact::kYes, .operator_generation = OperatorGeneration::kFirst};
  const api::ClusterFacts first_without_grove{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo, .operator_generation = OperatorGeneration::kFirst};
  return {"dgd.annotation.value", kGraphDeployment, {
      {.name = "known_values",
       .object = OF_GRAPH("nvidia.com/dynamo-discovery-backend: etcd, nvidia.com/enable-grove: 'FALSE', nvidia.com/enable-metrics: 'false'")},
      {.name = "an_unknown_discovery", .warnings = {{of_graph("dynamo-discovery-backend"), ""}},
       .object = OF_GRAPH("nvidia.com/dynamo-discovery-backend: Etcd")},
      {.name = "an_unknown_discovery_of_the_first_operator", .errors = {{kNotSupported, of_graph("dynamo-discovery-backend")}},
       .object = OF_WORKERS("nvidia.com/dynamo-discovery-backend: ''", "componentType: worker"), .facts = kFirst},
      {.name = "an_unknown_discovery_of_services_that_look_for_nobody", .warnings = {{of_graph("dynamo-discovery-backend"), ""}},
       .object = OF_GRAPH("nvidia.com/dynamo-discovery-backend: ''"), .facts = kFirst},
      {.name = "an_unknown_discovery_and_a_variable", .warnings = {{of_graph("dynamo-discovery-backend"), ""}},
       .object = OF_WORKERS("nvidia.com/dynamo-discovery-backend: ''", "componentType: worker, envs: [{name: DYN_DISCOVERY_BACKEND, value: etcd}]"), .facts = kFirst},
      {.name = "of_a_service", .spec = "{services: {W: {componentType: worker, annotations: {nvidia.com/dynamo-discovery-backend: consul}}}}",
       .errors = {{kNotSupported, of_service("dynamo-discovery-backend")}}, .facts = first_without_grove},
      {.name = "of_a_service_on_grove", .spec = OF_SERVICE("nvidia.com/dynamo-discovery-backend: consul"),
       .warnings = {{of_service("dynamo-discovery-backend"), ""}}, .facts = first_on_grove},
      {.name = "of_a_service_whose_graph_says_it_right", .warnings = {{of_service("dynamo-discovery-backend"), ""}},
       .object = OF_WORKERS("nvidia.com/dynamo-discovery-backend: etcd", "componentType: worker, annotations: {nvidia.com/dynamo-discovery-backend: consul}"),
       .facts = first_without_grove},
      {.name = "of_a_service_whose_graph_says_another",
       .warnings = {{of_service("dynamo-discovery-backend"), ""}, {of_service("enable-metrics"), ""}},
       .object = OF_WORKERS("nvidia.com/dynamo-discovery-backend: etcd, nvidia.com/enable-metrics: 'false'",
                            "annotations: {nvidia.com/dynamo-discovery-backend: kubernetes, nvidia.com/enable-metrics: 'true'}")},
      {.name = "of_a_service_whose_graph_says_the_same", .errors = {{kNotSupported, of_graph("dynamo-discovery-backend")}},
       .object = OF_WORKERS("nvidia.com/dynamo-discovery-backend: consul, nvidia.com/enable-metrics: 'false'",
                            "componentType: worker, annotations: {nvidia.com/dynamo-discovery-backend: consul, nvidia.com/enable-metrics: 'false'}"),
       .facts = first_without_grove},
      {.name = "of_a_service_of_what_its_graph_cannot_replace", .warnings = {{of_service("disable-image-pull-secret-discovery"), ""}},
       .object = OF_WORKERS("nvidia.com/disable-image-pull-secret-discovery: 'true'", "annotations: {nvidia.com/disable-image-pull-secret-discovery: 'no'}")},
      {.name = "a_component_whose_metadata_says_it_too", .errors = {{kNotSupported, "spec.annotations[nvidia.com/dynamo-discovery-backend]"}},
       .object = "{metadata: {name: c, annotations: {nvidia.com/dynamo-discovery-backend: etcd}}, spec: {dynamoNamespace: x, componentType: worker, annotations: {nvidia.com/dynamo-discovery-backend: consul}}}",
       .kind = kComponentDeployment, .facts = first_without_grove},
      {.name = "grove_neither_yes_nor_no", .warnings = {{of_graph("enable-grove"), ""}},
       .object = OF_GRAPH("nvidia.com/enable-grove: 'no'")},
      {.name = "metrics_in_upper_case", .spec = OF_SERVICE("nvidia.com/enable-metrics: 'False'"),
       .warnings = {{of_service("enable-metrics"), ""}}},
      {.name = "pull_secrets", .spec = OF_SERVICE("nvidia.com/disable-image-pull-secret-discovery: 'yes'"),
       .warnings = {{of_service("disable-image-pull-secret-discovery"), ""}}},
      {.name = "a_key_that_is_nearly_known", .warnings = {{of_graph("enable-groves"), ""}},
       .object = OF_GRAPH("nvidia.com/enable-groves: 'true'")},
      {.name = "a_key_in_upper_case", .warnings = {{of_graph("Enable-Grove"), ""}}, .object = OF_GRAPH("nvidia.com/Enable-Grove: 'true'")},
      {.name = "keys_of_others",
       .object = OF_GRAPH("nvidia.com/gpu.deploy.driver: 'true', enable-groves: 'x', example.com/enable-groves: x, nvidia.com/: x")},
      {.name = "keys_of_later_operators",
       .object = OF_GRAPH("nvidia.com/vllm-distributed-executor-backend: ray, nvidia.com/workload-provider: grove")},
      {.name = "a_component", .spec = "{dynamoNamespace: x, annotations: {nvidia.com/enable-metric: 'true'}}",
       .warnings = {{"spec.annotations[nvidia.com/enable-metric]", ""}}, .kind = kComponentDeployment},
      {.name = "a_value_of_the_wrong_type", .spec = OF_SERVICE("nvidia.com/enable-metrics: true"),
       .errors = {{kTypeInvalid, of_service("enable-metrics"), "type.mismatch"}}},
      {.name = "an_old_fault_stays", .spec = "{services: {W: {replicas: 2, annotations: {nvidia.com/enable-metric: x}}}}",
       .old_spec = OF_SERVICE("nvidia.com/enable-metric: x")},
      {.name = "a_new_fault", .spec = OF_SERVICE("nvidia.com/enable-metric: x"), .old_spec = "{services: {W: {}}}",
       .warnings = {{of_service("enable-metric"), ""}}},
  }};
#undef OF_GRAPH
#undef OF_SERVICE
}

RuleTable pathway_toggle() {
#define GROVE(value) "{metadata: {name: g, annotations: {nvidia.com/enable-grove: '" value "'}}, spec: {services: {W: {}}}}"
#define PLAIN "{metadata: {name: g}, spec: {services: {W: {}}}}"
  const std::vector<Place> warned{{"metadata.annotations[nvidia.com/enable-grove]", ""}};
  return {"dgd.update.pathway-toggle", kGraphDeployment, {
      {.name = "on_create", .object = GROVE("false")},
      {.name = "unchanged", .object = GROVE("false"), .old_object = GROVE("False")},
      {.name = "what_was_so_by_default", .object = GROVE("true"), .old_object = PLAIN},
      {.name = "switched_off", .warnings = warned, .object = GROVE("false"), .old_object = PLAIN},
      {.name = "switched_on", .warnings = warned, .object = PLAIN, .old_object = GROVE("false")},
      {.name = "flipped", .warnings = warned, .object = GROVE("true"), .old_object = GROVE("false"), .facts = {.grove_served = Fact::kYes}},
      {.name = "without_grove", .object = GROVE("true"), .old_object = GROVE("false"), .facts = {.grove_served = Fact::kNo}},
  }};
#undef GROVE
#undef PLAIN
}

RuleTable endpoint_picker_topology() {
#define EPP(config) "{componentType: epp, eppConfig: {config: {" config "}}}"
#define GOOD_CONFIG "plugins: [{type: picker}, {name: scorer, type: kv}], schedulingProfiles: [{name: p, plugins: [{pluginRef: picker}, {pluginRef: scorer}]}]"
#define FRONTEND "F: {componentType: frontend}"
  const auto in_config = [](std::string_view field) { return "spec.services[E].eppConfig.config." + std::string(field); };
  return {"dgd.epp.topology", kGraphDeployment, {
      {.name = "one", .spec = "{services: {" FRONTEND ", E: " EPP(GOOD_CONFIG) "}}", .facts = kFirst},
      {.name = "none", .spec = "{services: {" FRONTEND "}}", .facts = kFirst},
      {.name = "two", .spec = "{services: {" FRONTEND ", E: " EPP(GOOD_CONFIG) ", G: " EPP(GOOD_CONFIG) "}}",
       .errors = {{kForbidden, "spec.services[G].componentType"}}, .facts = kFirst},
      {.name = "two_with_an_unknown_operator", .spec = "{services: {" FRONTEND ", E: " EPP(GOOD_CONFIG) ", G: " EPP(GOOD_CONFIG) "}}",
       .warnings = {{"spec.services[G].componentType", ""}}},
      {.name = "no_frontend", .spec = "{services: {E: " EPP(GOOD_CONFIG) "}}", .warnings = {{"spec.services[E]", ""}}, .facts = kFirst},
      {.name = "no_frontend_with_an_unknown_operator", .spec = "{services: {E: " EPP(GOOD_CONFIG) "}}", .warnings = {{"spec.services[E]", ""}}},
      {.name = "no_frontend_with_a_later_operator", .spec = "{services: {E: " EPP(GOOD_CONFIG) "}}", .facts = kLater},
      {.name = "a_plugin_by_its_type",
       .spec = "{services: {" FRONTEND ", E: " EPP("plugins: [{type: a}], schedulingProfiles: [{plugins: [{pluginRef: a}]}]") "}}"},
      {.name = "a_plugin_that_is_not_there",
       .spec = "{services: {" FRONTEND ", E: " EPP("plugins: [{type: a, name: b}], schedulingProfiles: [{}, {plugins: [{pluginRef: b}, {pluginRef: a}]}]") "}}",
       .warnings = {{in_config("schedulingProfiles[1].plugins[1].pluginRef"), ""}}},
      {.name = "two_plugins_of_one_name", .spec = "{services: {" FRONTEND ", E: " EPP("plugins: [{type: a}, {type: c}, {type: b, name: a}]") "}}",
       .warnings = {{in_config("plugins[2].name"), ""}}},
      {.name = "an_old_fault_stays", .spec = "{services: {E: " EPP("plugins: [{type: a}, {type: a}]") ", " FRONTEND "}}",
       .old_spec = "{services: {" FRONTEND ", E: " EPP("plugins: [{type: a}, {type: a}]") "}}"},
      {.name = "a_new_fault", .spec = "{services: {E: " EPP("plugins: [{type: a}, {type: a}]") "}}",
       .old_spec = "{services: {E: " EPP("plugins: [{type: a}]") "}}", .warnings = {{in_config("plugins[1].name"), ""}}},
  }};
#undef EPP
#undef GOOD_CONFIG
#undef FRONTEND
}

RuleTable block_size() {
#define ROUTED(frontend, worker) \
  "{services: {F: {componentType: frontend, extraPodSpec: {mainContainer: {args: [" frontend "]}}}, " \
  "W: {componentType: worker, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" worker "]}}}}}"
#define PICKED(picker, worker) \
  "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}" picker "}, " \
  "W: {componentType: worker, extraPodSpec: {mainContainer: {args: [" worker "]}}}}}"
  const std::vector<Place> warned{{"spec.services[W]", ""}};
  return with_updates({"dgd.router.block-size", kGraphDeployment, {
      {.name = "one_size", .spec = ROUTED("--router-mode, kv, --kv-cache-block-size, '64'", "--block-size, '64'")},
      {.name = "two_sizes", .spec = ROUTED("--router-mode=kv, --kv-cache-block-size=64", "--block-size=16"), .warnings = warned},
      {.name = "pages", .spec = ROUTED("--router-mode, kv, --kv-cache-block-size, '64'", "--page-size, '16'"), .warnings = warned},
      {.name = "no_routing_by_cache", .spec = ROUTED("--router-mode, round-robin, --kv-cache-block-size, '64'", "--block-size, '16'")},
      {.name = "a_size_that_is_not_given", .spec = ROUTED("--router-mode, kv", "--block-size, '16'")},
      {.name = "a_size_that_is_not_known", .spec = ROUTED("--router-mode, kv, --kv-cache-block-size, '64'", "--block-size, $(SIZE)")},
      {.name = "the_default_of_an_endpoint_picker", .spec = PICKED("", "--block-size, '32'"), .warnings = warned},
      {.name = "the_same_as_the_default", .spec = PICKED("", "--block-size, '16'")},
      {.name = "an_endpoint_picker_with_a_size", .spec = PICKED(", envs: [{name: DYN_KV_BLOCK_SIZE, value: '32'}]", "--block-size, '32'")},
      {.name = "two_workers",
       .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, envs: [{name: DYN_KV_BLOCK_SIZE, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}, " "V: {componentType: prefill, extraPodSpec: {mainContainer: {args: [--block-size, '8']}}}, W: {componentType: decode, extraPodSpec: {mainContainer: {args: [--block-size, '16']}}}}}",
       .warnings = warned},
      {.name = "other_services_have_no_cache",
       .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}}, X: {extraPodSpec: {mainContainer: {args: [--block-size, '8']}}}}}"},
  }}, PICKED("", "--block-size, '32'"), PICKED("", "--block-size, '16'"), {}, warned);
#undef ROUTED
#undef PICKED
}

RuleTable standalone_incomplete() {
#define COMPLETE "serviceName: W, dynamoNamespace: x, labels: {nvidia.com/dynamo-component: W, nvidia.com/dynamo-namespace: x}"
  const std::vector<Finding> denied{{kRequired, "spec.dynamoNamespace"}};
  const std::string component_label = "spec.labels[nvidia.com/dynamo-component]";
  const std::string namespace_label = "spec.labels[nvidia.com/dynamo-namespace]";
  return {"dcd.standalone.incomplete", kComponentDeployment, {
      {.name = "complete", .spec = "{" COMPLETE "}", .facts = kFirst},
      {.name = "no_namespace", .spec = "{serviceName: W, labels: {nvidia.com/dynamo-component: W}}", .errors = denied, .facts = kFirst},
      {.name = "no_namespace_with_an_unknown_operator", .spec = "{serviceName: W, labels: {nvidia.com/dynamo-component: W}}",
       .warnings = {{"spec.dynamoNamespace", ""}}},
      {.name = "an_empty_namespace", .spec = "{dynamoNamespace: '', serviceName: W, labels: {nvidia.com/dynamo-component: W}}",
       .warnings = {{"spec.dynamoNamespace", ""}}, .facts = kFirst},
      {.name = "no_service_name", .spec = "{dynamoNamespace: x, labels: {nvidia.com/dynamo-namespace: x}}",
       .warnings = {{"spec.serviceName", ""}}},
      {.name = "no_labels", .spec = "{serviceName: W, dynamoNamespace: x}", .warnings = {{component_label, ""}, {namespace_label, ""}}},
      {.name = "another_label",
       .spec = "{serviceName: W, dynamoNamespace: x, labels: {nvidia.com/dynamo-component: w, nvidia.com/dynamo-namespace: x}}",
       .warnings = {{component_label, ""}}},
      {.name = "labels_of_the_object",
       .object = "{metadata: {name: c, labels: {nvidia.com/dynamo-component: W, nvidia.com/dynamo-namespace: x}}, spec: {serviceName: W, dynamoNamespace: x}}"},
      {.name = "labels_of_the_pods",
       .spec = "{serviceName: W, dynamoNamespace: x, extraPodMetadata: {labels: {nvidia.com/dynamo-component: W, nvidia.com/dynamo-namespace: x}}}"},
      {.name = "of_a_graph",
       .object = "{metadata: {name: c, ownerReferences: [{kind: DynamoGraphDeployment, apiVersion: nvidia.com/v1alpha1, name: g}]}, spec: {replicas: 1}}",
       .facts = kFirst},
      {.name = "no_spec", .object = "{metadata: {name: c}}", .facts = kFirst},
      {.name = "an_old_fault_stays", .spec = "{replicas: 2}", .old_spec = "{replicas: 1}", .facts = kFirst},
      {.name = "a_new_fault", .spec = "{serviceName: W, labels: {nvidia.com/dynamo-component: W}}", .old_spec = "{" COMPLETE "}",
       .errors = denied, .facts = kFirst},
  }};
#undef COMPLETE
}

RuleTable owned_edit() {
#define OWNED(spec) "{metadata: {name: c, ownerReferences: [{kind: DynamoGraphDeployment, apiVersion: nvidia.com/v1alpha1, name: g}]}, spec: {" spec "}}"
  return {"dcd.owned-edit", kComponentDeployment, {
      {.name = "by_a_user", .warnings = {{"spec", ""}}, .object = OWNED("replicas: 2"), .old_object = OWNED("replicas: 1")},
      {.name = "by_the_operator", .user = "system:serviceaccount:d:dynamo-dynamo-operator-controller-manager",
       .object = OWNED("replicas: 2"), .old_object = OWNED("replicas: 1")},
      {.name = "by_nobody_known", .user = std::nullopt, .object = OWNED("replicas: 2"), .old_object = OWNED("replicas: 1")},
      {.name = "nothing_of_the_spec", .object = OWNED("replicas: 1, componentType: worker"),
       .old_object = OWNED("componentType: worker, replicas: 1")},
      {.name = "on_create", .object = OWNED("replicas: 1")},
      {.name = "of_nobody", .object = "{metadata: {name: c}, spec: {dynamoNamespace: x, replicas: 2}}",
       .old_object = "{metadata: {name: c}, spec: {dynamoNamespace: x, replicas: 1}}"},
  }};
#undef OWNED
}

}  // namespace

std::vector<RuleTable> topology_tables() {
  return {backend_mismatch(), planner_targets(), role_flag(), annotation_value(), pathway_toggle(),
          endpoint_picker_topology(), block_size(), standalone_incomplete(), owned_edit()};
}

// clang-format on

}  // namespace dynamo::test

#undef STARTED
#undef OF_WORKERS

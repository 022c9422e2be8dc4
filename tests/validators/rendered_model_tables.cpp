#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

using api::OperatorGeneration;

const api::ClusterFacts kFirst{.operator_generation = OperatorGeneration::kFirst};
const api::ClusterFacts kLater{.operator_generation = OperatorGeneration::kLater};

#define MODEL(type, name, source) "{modelType: " type ", modelName: " name ", baseModelName: b" source "}"
#define FROM(uri) MODEL("lora", "m", ", source: {uri: '" uri "'}")

RuleTable lora_scheme() {
  const std::vector<Place> warned{{"spec.source.uri", ""}};
  return with_updates({"model.lora.scheme", kModel, {
      {.name = "s3", .spec = FROM("s3://bucket/key")},
      {.name = "s3_with_a_deep_key", .spec = FROM("s3://bucket/a/b.c/")},
      {.name = "s3_without_anything", .spec = FROM("s3://"), .warnings = warned},
      {.name = "s3_without_a_key", .spec = FROM("s3://bucket"), .warnings = warned},
      {.name = "s3_with_an_empty_key", .spec = FROM("s3://bucket//"), .warnings = warned},
      {.name = "s3_without_a_bucket", .spec = FROM("s3:///key"), .warnings = warned},
      {.name = "a_blank", .spec = FROM("s3://bucket/my key"), .warnings = warned},
      {.name = "a_blank_behind", .spec = FROM("hf://org/name "), .warnings = warned},
      {.name = "climbing", .spec = FROM("file:///models/../secret"), .warnings = warned},
      {.name = "two_dots_in_a_name", .spec = FROM("file:///models/a..b")},
      {.name = "hf_for_unknown_ones", .spec = FROM("hf://org/name"), .warnings = warned},
      {.name = "hf_without_a_name", .spec = FROM("hf://"), .warnings = warned},
      {.name = "hf_for_the_first_generation", .spec = FROM("hf://org/name"), .warnings = warned, .facts = kFirst},
      {.name = "s3_for_the_first_generation", .spec = FROM("s3://bucket/key"), .facts = kFirst},
      {.name = "hf_for_later_ones", .spec = FROM("hf://org/name"), .facts = kLater},
      {.name = "file", .spec = FROM("file:///models/lora")},
      {.name = "another_type", .spec = MODEL("base", "m", ", source: {uri: 's3://'}")},
      {.name = "the_type_in_capitals_counts_too", .spec = MODEL("LoRA", "m", ", source: {uri: 's3://'}"), .warnings = warned},
      {.name = "an_unknown_scheme_is_another_rules", .spec = FROM("gs://bucket"),
       .errors = {{kInvalid, "spec.source.uri", "dm.lora.scheme"}}},
  }}, FROM("s3://bucket"), FROM("s3://bucket/key"), {}, warned);
}

RuleTable type_adapter() {
  const std::vector<Place> source{{"spec.source", ""}};
  const std::vector<Place> name{{"spec.modelName", ""}};
  return with_updates({"model.type.adapter", kModel, {
      {.name = "lora_with_a_source", .spec = FROM("s3://b/k")},
      {.name = "base", .spec = MODEL("base", "b", "")},
      {.name = "base_with_an_empty_source", .spec = MODEL("base", "b", ", source: {uri: ''}")},
      {.name = "base_with_a_source", .spec = MODEL("base", "b", ", source: {uri: 's3://b/k'}"), .warnings = source},
      {.name = "no_type_with_a_source", .spec = "{modelName: m, baseModelName: b, source: {uri: x}}", .warnings = source},
      {.name = "adapter", .spec = MODEL("adapter", "m", "")},
      {.name = "adapter_with_a_source", .spec = MODEL("adapter", "m", ", source: {uri: 's3://b/k'}"), .warnings = source},
      {.name = "lora_called_like_its_base", .spec = MODEL("lora", "b", ", source: {uri: 's3://b/k'}"), .warnings = name},
      {.name = "lora_called_like_its_base_in_capitals", .spec = MODEL("lora", "B", ", source: {uri: 's3://b/k'}")},
      {.name = "lora_without_names_is_another_rules",
       .spec = "{modelType: lora, source: {uri: 's3://b/k'}}",
       .errors = {{kRequired, "spec.baseModelName", "dm.base-model-name"}, {kRequired, "spec.modelName", "dm.model-name"}}},
  }}, MODEL("adapter", "m", ", source: {uri: 's3://b/k'}"), MODEL("adapter", "m", ""), {}, source);
}

RuleTable update_stale() {
  const auto change = [](std::string_view name, std::string_view old_spec, std::string_view spec, std::vector<Place> warnings) {
    return Row{.name = name, .spec = spec, .old_spec = old_spec, .warnings = std::move(warnings)};
  };
  return {"model.update.stale", kModel, {
      {.name = "created", .spec = FROM("s3://b/k")},
      change("unchanged", FROM("s3://b/k"), FROM("s3://b/k"), {}),
      change("another_source", FROM("s3://b/v1"), FROM("s3://b/v2"), {{"spec.source.uri", ""}}),
      change("another_name", FROM("s3://b/k"), MODEL("lora", "other", ", source: {uri: 's3://b/k'}"), {{"spec.modelName", ""}}),
      // A new name loads the new source.
      change("another_name_and_source", FROM("s3://b/v1"), MODEL("lora", "other", ", source: {uri: 's3://b/v2'}"), {{"spec.modelName", ""}}),
      {.name = "what_was_a_base_model_was_never_loaded", .spec = FROM("s3://b/k"), .old_spec = MODEL("base", "other", ""),
       .errors = {{kForbidden, "spec.modelType", "dm.type.immutable"}}, .warnings = {{"spec.modelType", "dm.type.immutable"}}},
      change("a_base_model_is_never_loaded", MODEL("base", "m", ""), MODEL("base", "other", ""), {}),
  }};
}

// A service W with that type.
#define OF_TYPE(type, more, command) \
  "{services: {W: {componentType: " type ", " more ", extraPodSpec: {mainContainer: {" command "}}}}}"
#define REF(name) "modelRef: {name: " name "}"
#define VLLM(args) "command: [python3, -m, dynamo.vllm], args: [" args "]"

RuleTable reference() {
#define RUNS(ref, args) OF_TYPE("worker", REF(ref), VLLM(args))
  const std::vector<Place> name{{in_service("modelRef.name"), ""}};
  const std::vector<Place> block{{in_service("modelRef"), ""}};
  return with_updates({"model.ref.mismatch", kGraphDeployment, {
      {.name = "the_model", .spec = RUNS("org/m", "--model, org/m")},
      {.name = "behind_an_equals_sign", .spec = RUNS("org/m", "--model=org/m")},
      {.name = "the_served_name", .spec = RUNS("short", "--model, org/m, --served-model-name, short")},
      {.name = "the_second_served_name", .spec = RUNS("other", "--model, org/m, --served-model-name, short, other")},
      {.name = "the_model_beside_a_served_name", .spec = RUNS("org/m", "--model, org/m, --served-model-name, short")},
      {.name = "another_model", .spec = RUNS("org/m", "--model, org/n"), .warnings = name},
      {.name = "another_case", .spec = RUNS("org/M", "--model, org/m"), .warnings = name},
      {.name = "another_model_of_sglang",
       .spec = OF_TYPE("decode", REF("org/m"), "command: [python3, -m, dynamo.sglang], args: [--model-path, org/n]"), .warnings = name},
      {.name = "another_model_in_a_shell",
       .spec = OF_TYPE("worker", REF("org/m"), "command: [sh, -c], args: ['python3 -m dynamo.vllm --model org/n']"), .warnings = name},
      {.name = "a_model_in_a_shell",
       .spec = OF_TYPE("worker", REF("org/m"), "command: [sh, -c], args: ['python3 -m dynamo.vllm --model \"org/m\"']")},
      {.name = "a_path", .spec = RUNS("org/m", "--model, /models/m")},
      {.name = "a_path_and_another_served_name", .spec = RUNS("org/m", "--model, /models/m, --served-model-name, other")},
      {.name = "a_variable", .spec = RUNS("org/m", "--model, $(MODEL)")},
      {.name = "arguments_of_a_variable", .spec = RUNS("org/m", "--model, org/n, $(MORE)")},
      {.name = "no_model_at_all", .spec = RUNS("org/m", "--max-model-len, '4096'")},
      {.name = "no_reference", .spec = SERVICE("extraPodSpec: {mainContainer: {" VLLM("--model, org/n") "}}")},
      {.name = "an_empty_reference", .spec = RUNS("''", "--model, org/n")},
      {.name = "a_frontend", .spec = OF_TYPE("frontend", REF("org/m"), "image: i"), .warnings = block},
      {.name = "a_planner", .spec = OF_TYPE("planner", REF("org/m"), "image: i"), .warnings = block},
      {.name = "another_type_is_not_validated", .spec = OF_TYPE("main", REF("org/m"), "args: [--model, org/n]")},
      {.name = "a_component",
       .spec = "{dynamoNamespace: x, componentType: worker, " REF("org/m") ", extraPodSpec: {mainContainer: {" VLLM("--model, org/n") "}}}",
       .warnings = {{"spec.modelRef.name", ""}}, .kind = kComponentDeployment},
  }}, RUNS("org/m", "--model, org/n"), RUNS("org/n", "--model, org/n"), {}, name);
#undef RUNS
}

RuleTable worker_support() {
#define WORKER(more, args) OF_TYPE("worker", REF("m") more "", VLLM("--model, m" args ""))
#define ON ", envs: [{name: DYN_LORA_ENABLED, value: 'true'}]"
#define HALF(name, role, more) \
  name ": {componentType: worker, subComponentType: " role more ", extraPodSpec: {mainContainer: {" VLLM("--model, m, --enable-lora") "}}}"
#define PAIR(more) "{services: {F: " "{componentType: frontend}, " HALF("P", "prefill", ", " REF("m") ON) ", " HALF("D", "decode", more) "}}"
  const std::vector<Place> envs{{in_service("envs"), ""}};
  return with_updates({"model.lora.worker-support", kGraphDeployment, {
      {.name = "both_switches", .spec = WORKER(ON, ", --enable-lora")},
      {.name = "neither", .spec = WORKER("", "")},
      {.name = "no_variable", .spec = WORKER("", ", --enable-lora"), .warnings = envs},
      {.name = "the_variable_is_false", .spec = WORKER(", envs: [{name: DYN_LORA_ENABLED, value: 'false'}]", ", --enable-lora"), .warnings = envs},
      {.name = "the_variable_is_1", .spec = WORKER(", envs: [{name: DYN_LORA_ENABLED, value: '1'}]", ", --enable-lora")},
      {.name = "the_variable_of_a_secret", .spec = WORKER(", envs: [{name: DYN_LORA_ENABLED, valueFrom: {secretKeyRef: {name: s, key: k}}}]", ", --enable-lora")},
      {.name = "a_variable_that_is_computed", .spec = WORKER(", envs: [{name: DYN_LORA_ENABLED, value: $(LORA)}]", ", --enable-lora")},
      {.name = "the_variable_of_the_graph",
       .spec = "{envs: [{name: DYN_LORA_ENABLED, value: 'True'}], services: {W: {componentType: worker, " REF("m") ", extraPodSpec: {mainContainer: {" VLLM("--enable-lora") "}}}}}"},
      {.name = "perhaps_among_the_variables_of_a_secret", .spec = WORKER(", envFromSecret: s", ", --enable-lora")},
      {.name = "perhaps_among_those_of_a_config_map",
       .spec = OF_TYPE("worker", REF("m"), VLLM("--enable-lora") ", envFrom: [{configMapRef: {name: c}}]")},
      {.name = "no_flag", .spec = WORKER(ON, ""), .warnings = {{in_main("args"), ""}}},
      {.name = "a_flag_of_a_configuration", .spec = WORKER(ON, ", --config, /etc/vllm.yaml")},
      {.name = "a_flag_of_a_variable", .spec = WORKER(ON, ", $(MORE)")},
      {.name = "no_reference", .spec = SERVICE("extraPodSpec: {mainContainer: {" VLLM("--enable-lora") "}}")},
      {.name = "another_engine", .spec = OF_TYPE("worker", REF("m") ON, "command: [python3, -m, dynamo.sglang]"),
       .warnings = {{in_service("envs[0]"), ""}}},
      {.name = "another_engine_of_later_operators", .spec = OF_TYPE("worker", REF("m") ON, "command: [python3, -m, dynamo.sglang]"), .facts = kLater},
      {.name = "another_engine_without_adapters", .spec = OF_TYPE("worker", REF("m"), "command: [python3, -m, dynamo.sglang]")},
      {.name = "an_engine_that_is_not_known", .spec = OF_TYPE("worker", REF("m") ON, "command: [/start.sh]")},
      {.name = "both_halves", .spec = PAIR(", " REF("m") ON)},
      {.name = "prefill_only", .spec = PAIR(ON), .warnings = {{"spec.services[D].modelRef", ""}}},
      {.name = "decode_for_another_model", .spec = PAIR(", " REF("other") ON)},
      {.name = "a_pair_beside_a_half_of_no_model",
       .spec = "{services: {" HALF("P", "prefill", ", " REF("m") ON) ", " HALF("D", "decode", ", " REF("m") ON) ", " HALF("E", "decode", ON) "}}"},
      {.name = "halves_by_their_types",
       .spec = "{services: {P: {componentType: prefill, extraPodSpec: {mainContainer: {" VLLM("--model, m") "}}}, D: {componentType: decode, " REF("m") ON ", extraPodSpec: {mainContainer: {" VLLM("--enable-lora") "}}}}}",
       .warnings = {{"spec.services[P].modelRef", ""}}},
      {.name = "halves_without_adapters",
       .spec = "{services: {P: {componentType: prefill, extraPodSpec: {mainContainer: {" VLLM("--model, m") "}}}, D: {componentType: decode, " REF("m") ", extraPodSpec: {mainContainer: {" VLLM("--model, m") "}}}}}"},
  }}, WORKER("", ", --enable-lora"), WORKER(ON, ", --enable-lora"), {}, envs);
#undef WORKER
#undef ON
#undef HALF
#undef PAIR
}

}  // namespace

std::vector<RuleTable> rendered_model_tables() {
  return {update_stale(), type_adapter(), lora_scheme(), reference(), worker_support()};
}

// clang-format on

}  // namespace dynamo::test

#undef MODEL
#undef FROM
#undef OF_TYPE
#undef REF
#undef VLLM

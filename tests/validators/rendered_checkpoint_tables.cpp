#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define IDENTITY "model: m, backendFramework: vllm"
// The hash of IDENTITY, computed independently.
#define HASH "cfb060f4d0539cab"
#define CHECKPOINT(labels, identity) \
  "{apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, metadata: {name: example" labels "}, " \
  "spec: {identity: {" identity "}, job: {podTemplateSpec: {spec: {containers: [{name: main, image: i}]}}}}}"
#define LABEL(hash) ", labels: {nvidia.com/checkpoint-hash: " hash "}"
// A worker that restores by an identity.
#define RESTORES(identity, more) \
  SERVICE("checkpoint: {enabled: true, mode: Manual, identity: {" identity "}}, extraPodSpec: {mainContainer: {" more "}}")

const std::string kLabel = "metadata.labels[nvidia.com/checkpoint-hash]";

RuleTable hash_label() {
  const std::vector<Place> warned{{kLabel, ""}};
  return {"ckpt.manual.no-label", kCheckpoint, {
      {.name = "the_hash", .object = CHECKPOINT(LABEL("'" HASH "'"), IDENTITY)},
      {.name = "defaults_count_as_absent", .object = CHECKPOINT(LABEL("'" HASH "'"), IDENTITY ", tensorParallelSize: 1, dtype: ''")},
      {.name = "no_label", .object = CHECKPOINT("", IDENTITY)},
      {.name = "another_hash", .warnings = warned, .object = CHECKPOINT(LABEL("'0123456789abcdef'"), IDENTITY)},
      {.name = "the_hash_of_another_identity", .warnings = warned, .object = CHECKPOINT(LABEL("'" HASH "'"), IDENTITY ", dtype: float16")},
      {.name = "an_empty_label", .warnings = warned, .object = CHECKPOINT(LABEL("''"), IDENTITY)},
      {.name = "an_incomplete_identity_is_another_rules", .warnings = {{"spec.identity.model", "ckpt.identity.complete"}},
       .object = CHECKPOINT(LABEL("abc"), "backendFramework: vllm")},
      {.name = "an_old_fault_stays", .object = CHECKPOINT(LABEL("abc"), IDENTITY), .old_object = CHECKPOINT(LABEL("abc"), IDENTITY)},
      {.name = "a_new_fault", .warnings = warned, .object = CHECKPOINT(LABEL("abc"), IDENTITY), .old_object = CHECKPOINT("", IDENTITY)},
  }};
}

RuleTable hash_missing() {
  const std::vector<Place> service{{in_service("checkpoint.identity"), ""}};
#define WITH(fields) SERVICE("checkpoint: {" fields "}")
  return with_updates({"ckpt.manual.hash", kGraphDeployment, {
      {.name = "a_checkpoint_with_a_label", .object = CHECKPOINT(LABEL("abc"), IDENTITY), .kind = kCheckpoint},
      {.name = "a_checkpoint_without", .warnings = {{kLabel, ""}}, .object = CHECKPOINT("", IDENTITY), .kind = kCheckpoint},
      {.name = "an_incomplete_identity_has_no_hash", .warnings = {{"spec.identity.model", "ckpt.identity.complete"}},
       .object = CHECKPOINT("", "backendFramework: vllm"), .kind = kCheckpoint},
      {.name = "a_service_that_waits", .spec = WITH("enabled: true, mode: Manual, identity: {" IDENTITY "}"), .warnings = service},
      {.name = "a_service_whose_checkpoint_is_made", .spec = WITH("enabled: true, mode: Auto, identity: {" IDENTITY "}")},
      {.name = "the_default_mode", .spec = WITH("enabled: true, identity: {" IDENTITY "}")},
      {.name = "a_reference", .spec = WITH("enabled: true, mode: Manual, checkpointRef: c, identity: {" IDENTITY "}")},
      {.name = "not_enabled", .spec = WITH("enabled: false, mode: Manual, identity: {" IDENTITY "}")},
      {.name = "a_component",
       .spec = "{dynamoNamespace: x, componentType: worker, checkpoint: {enabled: true, mode: Manual, identity: {" IDENTITY "}}}",
       .warnings = {{"spec.checkpoint.identity", ""}}, .kind = kComponentDeployment},
  }}, WITH("enabled: true, mode: Manual, identity: {" IDENTITY "}"), WITH("enabled: false"), {}, service);
#undef WITH
}

RuleTable identity_mismatch() {
#define TAKEN(identity, engine, args) \
  "{identity: {" identity "}, job: {podTemplateSpec: {spec: {containers: [" \
  "{name: main, command: [python3, -m, dynamo." engine "], args: [" args "]}]}}}}"
#define ALSO(more) IDENTITY ", " more
  const auto warned = [](std::string_view field) { return std::vector<Place>{{"spec.identity." + std::string(field), ""}}; };
  const std::vector<Place> model = warned("model");
  const std::vector<Place> tensor = warned("tensorParallelSize");
  return with_updates({"ckpt.identity.mismatch", kCheckpoint, {
      {.name = "everything_the_same",
       .spec = TAKEN(ALSO("tensorParallelSize: 2, pipelineParallelSize: 2, dtype: bfloat16, maxModelLen: 4096"), "vllm",
                     "--model, m, --tensor-parallel-size, '2', --pipeline-parallel-size=2, --dtype, bfloat16, --max-model-len, '4096'")},
      {.name = "another_engine", .spec = TAKEN(IDENTITY, "sglang", "--model-path, m"), .warnings = warned("backendFramework")},
      {.name = "no_engine",
       .spec = "{identity: {" IDENTITY "}, job: {podTemplateSpec: {spec: {containers: [{name: main, command: [/start.sh]}]}}}}"},
      {.name = "another_model", .spec = TAKEN(IDENTITY, "vllm", "--model, other"), .warnings = model},
      {.name = "the_served_name", .spec = TAKEN(IDENTITY, "vllm", "--model, other, --served-model-name, m")},
      {.name = "a_path", .spec = TAKEN(IDENTITY, "vllm", "--model, /models/n")},
      {.name = "a_variable", .spec = TAKEN(IDENTITY, "vllm", "--model, $(MODEL)")},
      {.name = "no_model_on_the_line", .spec = TAKEN(IDENTITY, "vllm", "--seed, '1'")},
      {.name = "two_gpus_and_none_said", .spec = TAKEN(IDENTITY, "vllm", "--model, m, -tp, '2'"), .warnings = tensor},
      {.name = "two_gpus_said_and_none_on_the_line", .spec = TAKEN(ALSO("tensorParallelSize: 2"), "vllm", "--model, m"), .warnings = tensor},
      {.name = "two_gpus_said_and_none_for_sglang",
       .spec = TAKEN("model: m, backendFramework: sglang, tensorParallelSize: 2", "sglang", "--model-path, m"), .warnings = tensor},
      {.name = "two_gpus_said_for_an_engine_that_is_not_known",
       .spec = "{identity: {" ALSO("tensorParallelSize: 2") "}, job: {podTemplateSpec: {spec: {containers: [{name: main, command: [/start.sh]}]}}}}"},
      {.name = "two_gpus_said_and_a_file", .spec = TAKEN(ALSO("tensorParallelSize: 2"), "vllm", "--model, m, --config, /c.yaml")},
      {.name = "two_gpus_said_and_a_variable", .spec = TAKEN(ALSO("tensorParallelSize: 2"), "vllm", "--model, m, $(MORE)")},
      {.name = "two_gpus_said_for_an_engine_with_files",
       .spec = TAKEN("model: m, backendFramework: trtllm, tensorParallelSize: 2", "trtllm", "--model-path, m")},
      {.name = "a_size_of_a_variable", .spec = TAKEN(IDENTITY, "vllm", "--model, m, --tensor-parallel-size, $(TP)")},
      {.name = "sglangs_spelling", .spec = TAKEN("model: m, backendFramework: sglang", "sglang", "--model, m, --tp=4"), .warnings = tensor},
      {.name = "the_pipeline", .spec = TAKEN(ALSO("pipelineParallelSize: 2"), "vllm", "--model, m, --pipeline-parallel-size, '4'"),
       .warnings = warned("pipelineParallelSize")},
      {.name = "another_type", .spec = TAKEN(ALSO("dtype: float16"), "vllm", "--model, m, --dtype, bfloat16"), .warnings = warned("dtype")},
      {.name = "another_name_of_the_type", .spec = TAKEN(ALSO("dtype: float16"), "vllm", "--model, m, --dtype, half")},
      {.name = "an_automatic_type", .spec = TAKEN(ALSO("dtype: float16"), "vllm", "--model, m, --dtype, auto")},
      {.name = "no_type_said", .spec = TAKEN(IDENTITY, "vllm", "--model, m, --dtype, half")},
      {.name = "another_length", .spec = TAKEN(ALSO("maxModelLen: 4096"), "vllm", "--model, m, --max-model-len, '8192'"), .warnings = warned("maxModelLen")},
      {.name = "a_length_with_a_suffix", .spec = TAKEN(ALSO("maxModelLen: 4096"), "vllm", "--model, m, --max-model-len, 4k")},
      {.name = "trtllms_length",
       .spec = TAKEN("model: m, backendFramework: trtllm, maxModelLen: 4096", "trtllm", "--model-path, m, --max-seq-len, '8192'"), .warnings = warned("maxModelLen")},
      {.name = "only_the_first_container_counts",
       .spec = "{identity: {" IDENTITY "}, job: {podTemplateSpec: {spec: {containers: [{name: main, args: [--model, m]}, {name: b, args: [--model, other]}]}}}}"},
      {.name = "a_service", .spec = RESTORES(IDENTITY, "command: [python3, -m, dynamo.vllm], args: [--model, other]"),
       .warnings = {{in_service("checkpoint.identity.model"), ""}}, .kind = kGraphDeployment},
      {.name = "a_service_that_agrees", .spec = RESTORES(IDENTITY, "command: [python3, -m, dynamo.vllm], args: [--model, m]"), .kind = kGraphDeployment},
      {.name = "a_service_with_a_reference",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c, identity: {" IDENTITY "}}, extraPodSpec: {mainContainer: {args: [--model, other]}}"), .kind = kGraphDeployment},
      {.name = "a_service_without",
       .spec = SERVICE("checkpoint: {enabled: false, identity: {" IDENTITY "}}, extraPodSpec: {mainContainer: {args: [--model, other]}}"), .kind = kGraphDeployment},
  }}, TAKEN(IDENTITY, "vllm", "--model, other"), TAKEN(IDENTITY, "vllm", "--model, m"), {}, model);
#undef TAKEN
#undef ALSO
}

RuleTable unsupported() {
#define ENABLED "checkpoint: {enabled: true, checkpointRef: c}"
#define OF_TYPE(type, more) "{services: {W: {componentType: " type ", " ENABLED more "}}}"
  const std::vector<Place> warned{{in_service("checkpoint.enabled"), ""}};
  return with_updates({"ckpt.unsupported", kGraphDeployment, {
      {.name = "a_worker", .spec = OF_TYPE("worker", "")},
      {.name = "a_prefill_worker", .spec = OF_TYPE("prefill", "")},
      {.name = "one_node", .spec = OF_TYPE("worker", ", multinode: {nodeCount: 1}")},
      {.name = "two_nodes", .spec = OF_TYPE("worker", ", multinode: {nodeCount: 2}"), .warnings = warned},
      {.name = "a_frontend", .spec = OF_TYPE("frontend", ""), .warnings = warned},
      {.name = "a_planner", .spec = OF_TYPE("planner", ""), .warnings = warned},
      {.name = "something_else", .spec = OF_TYPE("main", ""), .warnings = warned},
      {.name = "something_else_with_an_engine",
       .spec = OF_TYPE("main", ", extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}")},
      {.name = "not_enabled", .spec = "{services: {W: {componentType: frontend, checkpoint: {enabled: false}}}}"},
      {.name = "none", .spec = "{services: {W: {componentType: frontend}}}"},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: planner, " ENABLED "}",
       .warnings = {{"spec.checkpoint.enabled", ""}}, .kind = kComponentDeployment},
  }}, OF_TYPE("frontend", ""), "{services: {W: {componentType: frontend}}}", {}, warned);
#undef ENABLED
#undef OF_TYPE
}

RuleTable controller() {
#define TAKEN(more) "{identity: {" IDENTITY "}, job: {" more "podTemplateSpec: {spec: {containers: [{name: main, image: i}]}}}}"
  const api::ClusterFacts replaced{.operator_replaced = true};
  const std::vector<Place> warned{{"kind", ""}};
  return {"ckpt.controller", kCheckpoint, {
      {.name = "operator_runs", .spec = TAKEN("")},
      {.name = "operator_is_replaced", .spec = TAKEN(""), .warnings = warned, .facts = replaced},
      {.name = "spec_changes", .spec = TAKEN("backoffLimit: 5, "), .old_spec = TAKEN(""), .warnings = warned, .facts = replaced},
      {.name = "spec_is_unchanged", .spec = TAKEN(""), .old_spec = TAKEN(""), .facts = replaced},
      {.name = "graph_is_served", .spec = "{services: {W: {}}}", .kind = kGraphDeployment, .facts = replaced},
  }};
#undef TAKEN
}

}  // namespace

std::vector<RuleTable> rendered_checkpoint_tables() {
  return {hash_label(), hash_missing(), identity_mismatch(), unsupported(), controller()};
}

// clang-format on

}  // namespace dynamo::test

#undef IDENTITY
#undef HASH
#undef CHECKPOINT
#undef LABEL
#undef RESTORES

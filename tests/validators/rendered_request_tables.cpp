#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

const api::ClusterFacts kFirst{.operator_generation = api::OperatorGeneration::kFirst};
const api::ClusterFacts kLater{.operator_generation = api::OperatorGeneration::kLater};

#define CONFIG(config) \
  "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: " config "}, deploymentOverrides: {workersImage: i}}"
#define IN_STATE(state, config) \
  "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, metadata: {name: example}, " \
  "status: {state: " state "}, spec: " CONFIG(config) "}"

std::string in_config(std::string_view field) {
  return "spec.profilingConfig.config" + std::string(field);
}

RuleTable frozen() {
  return {"dgdr.update.frozen", kGraphDeploymentRequest, {
      {.name = "edited_after_a_failure", .warnings = {{"spec", ""}},
       .object = IN_STATE("Failed", "{sla: {isl: 1}}"), .old_object = IN_STATE("Failed", "{}")},
      {.name = "edited_while_pending", .object = IN_STATE("Pending", "{sla: {isl: 1}}"), .old_object = IN_STATE("Pending", "{}")},
      {.name = "unchanged_after_a_failure", .object = IN_STATE("Failed", "{}"), .old_object = IN_STATE("Failed", "{}")},
      {.name = "once_ready_another_rule_denies", .errors = {{kForbidden, "spec", "dgdr.spec.immutable"}},
       .object = IN_STATE("Ready", "{sla: {isl: 1}}"), .old_object = IN_STATE("Ready", "{}")},
  }};
}

RuleTable shape() {
  const auto warned = [](std::string_view field) { return std::vector<Place>{{in_config(field), ""}}; };
  const auto denied = [](std::string_view field) { return std::vector<Finding>{{kInvalid, in_config(field)}}; };
  return with_updates({"dgdr.config.shape", kGraphDeploymentRequest, {
      {.name = "objects",
       .spec = CONFIG("{deployment: {modelCache: {}}, engine: {}, hardware: {}, planner: {}, sla: {}, sweep: {}}")},
      {.name = "nothing", .spec = CONFIG("{deployment: null, engine: null}")},
      {.name = "deployment", .spec = CONFIG("{deployment: []}"), .errors = denied(".deployment"), .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "engine", .spec = CONFIG("{engine: vllm}"), .errors = denied(".engine"), .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "engine_of_another_operator", .spec = CONFIG("{engine: vllm}"), .warnings = warned(".engine")},
      {.name = "engine_of_a_later_operator", .spec = CONFIG("{engine: vllm}"), .warnings = warned(".engine"), .facts = kLater},
      {.name = "hardware", .spec = CONFIG("{hardware: 8}"), .warnings = warned(".hardware")},
      {.name = "planner", .spec = CONFIG("{planner: true}"), .warnings = warned(".planner")},
      {.name = "sla", .spec = CONFIG("{sla: 'ttft: 200'}"), .warnings = warned(".sla")},
      {.name = "sweep", .spec = CONFIG("{sweep: 1.5}"), .warnings = warned(".sweep")},
      {.name = "model_cache", .spec = CONFIG("{deployment: {modelCache: claim}}"), .warnings = warned(".deployment.modelCache")},
      {.name = "model_cache_in_the_other_spelling", .spec = CONFIG("{deployment: {model_cache: claim}}"), .warnings = warned(".deployment.model_cache")},
      {.name = "two", .spec = CONFIG("{sla: 1, sweep: 1}"),
       .warnings = {{in_config(".sla"), ""}, {in_config(".sweep"), ""}}},
      {.name = "what_is_no_section", .spec = CONFIG("{outputDir: /data}")},
      {.name = "no_object_is_another_rules", .spec = CONFIG("[]"),
       .errors = {{kInvalid, in_config(""), "dgdr.config.parses"}}},
  }}, CONFIG("{engine: vllm}"), CONFIG("{engine: {}}"), {{kInvalid, in_config(".engine")}}, {}, kFirst);
}

RuleTable unknown_key() {
  const auto warned = [](std::string_view field) { return std::vector<Place>{{in_config(field), ""}}; };
  return with_updates({"dgdr.config.unknown-key", kGraphDeploymentRequest, {
      {.name = "every_key",
       .spec = CONFIG("{outputDir: /data, deployment: {namespace: a, serviceName: s, dgdImage: i, modelCache: {pvcName: p, pvcPath: q, mountPath: /m}}, "
                      "engine: {config: c, maxContextLength: 1}, hardware: {minNumGpusPerEngine: 1, maxNumGpusPerEngine: 2, numGpusPerNode: 8, enableGpuDiscovery: true, gpuType: h}, "
                      "sla: {isl: 1, osl: 1, ttft: 1, itl: 1}, sweep: {prefillInterpolationGranularity: 1, decodeInterpolationGranularity: 1, useAiConfigurator: false, "
                      "aicSystem: s, aicHfId: i, aicBackend: vllm, aicBackendVersion: v, dryRun: true, skipExistingResults: true, pickWithWebui: true, webuiPort: 8000}, "
                      "planner: {planner_anything: 1, plannerMinEndpoint: 2}}")},
      {.name = "the_other_spelling",
       .spec = CONFIG("{output_dir: /data, deployment: {dgd_image: i, model_cache: {pvc_name: p, pvc_path: q}}, engine: {max_context_length: 1}, "
                      "hardware: {min_num_gpus_per_engine: 1, gpu_type: h}, sweep: {use_ai_configurator: false, aic_hf_id: i, pick_with_webui: true}}")},
      {.name = "a_slip", .spec = CONFIG("{sla: {tfft: 200}}"), .warnings = warned(".sla[tfft]")},
      {.name = "capitals", .spec = CONFIG("{sla: {TTFT: 200}}"), .warnings = warned(".sla[TTFT]")},
      {.name = "a_mixed_spelling", .spec = CONFIG("{hardware: {min_numGpusPerEngine: 1}}"), .warnings = warned(".hardware[min_numGpusPerEngine]")},
      {.name = "a_section_with_a_slip", .spec = CONFIG("{sweeps: {}}"), .warnings = warned("[sweeps]")},
      {.name = "a_stranger", .spec = CONFIG("{sla: {percentile: 99}}"), .warnings = warned(".sla[percentile]")},
      {.name = "a_stranger_for_later_operators", .spec = CONFIG("{sla: {percentile: 99}}"), .facts = kLater},
      {.name = "a_slip_for_later_operators", .spec = CONFIG("{sla: {tfft: 200}}"), .warnings = warned(".sla[tfft]"), .facts = kLater},
      {.name = "a_key_of_another_section", .spec = CONFIG("{engine: {isl: 1}}"), .warnings = warned(".engine[isl]")},
      {.name = "strangers_in_sections_that_grew_later", .spec = CONFIG("{hardware: {gpuSku: h200_sxm}, sweep: {strategy: rapid}}"),
       .warnings = {{in_config(".hardware[gpuSku]"), ""}, {in_config(".sweep[strategy]"), ""}}},
      {.name = "strangers_in_sections_that_grew_later_for_later_operators",
       .spec = CONFIG("{hardware: {gpuSku: h200_sxm}, sweep: {strategy: rapid}}"), .facts = kLater},
      {.name = "a_stranger_in_such_a_section_for_the_first_generation", .spec = CONFIG("{hardware: {gpuSku: h200_sxm}}"),
       .warnings = warned(".hardware[gpuSku]"), .facts = kFirst},
      {.name = "aic", .spec = CONFIG("{aic: {system: h200_sxm}}"), .warnings = warned("[aic]")},
      {.name = "aic_for_later_operators", .spec = CONFIG("{aic: {system: h200_sxm}}"), .warnings = warned("[aic]"), .facts = kLater},
      {.name = "a_mixture_of_experts", .spec = CONFIG("{engine: {isMoeModel: true}}"), .warnings = warned(".engine[isMoeModel]")},
      {.name = "a_mixture_of_experts_in_the_other_spelling", .spec = CONFIG("{engine: {is_moe_model: true}}"), .warnings = warned(".engine[is_moe_model]")},
      {.name = "the_model_of_the_simulation", .spec = CONFIG("{sweep: {aic_model_name: QWEN3_32B}}"), .warnings = warned(".sweep[aic_model_name]")},
      {.name = "a_model_cache_without_its_section", .spec = CONFIG("{modelCache: {}}"), .warnings = warned("[modelCache]")},
      {.name = "in_the_model_cache", .spec = CONFIG("{deployment: {modelCache: {pvcName: p, pvcpath: q}}}"), .warnings = warned(".deployment.modelCache[pvcpath]")},
      {.name = "both_spellings", .spec = CONFIG("{hardware: {numGpusPerNode: 8, num_gpus_per_node: 4}}"), .warnings = warned(".hardware[num_gpus_per_node]")},
      {.name = "results_elsewhere", .spec = CONFIG("{outputDir: /results}"), .warnings = warned(".outputDir")},
      {.name = "results_elsewhere_in_the_other_spelling", .spec = CONFIG("{output_dir: /results}"), .warnings = warned(".output_dir")},
      {.name = "results_with_a_slash", .spec = CONFIG("{outputDir: /data/}")},
      {.name = "a_section_that_is_no_object", .spec = CONFIG("{planner: {}, sla: {}}")},
  }}, CONFIG("{sla: {tfft: 200}}"), CONFIG("{sla: {ttft: 200}}"), {}, {{in_config(".sla[tfft]"), ""}});
}

RuleTable aic_system() {
#define SWEEP(fields) CONFIG("{sweep: {useAiConfigurator: true, " fields "}}")
  const std::vector<Place> system{{in_config(".sweep.aicSystem"), ""}};
  return with_updates({"dgdr.aic.system", kGraphDeploymentRequest, {
      {.name = "named", .spec = SWEEP("aicSystem: h200_sxm")},
      {.name = "named_in_the_other_spelling", .spec = CONFIG("{sweep: {use_ai_configurator: true, aic_system: h200_sxm}}")},
      {.name = "missing", .spec = SWEEP("aicHfId: m"), .warnings = system},
      {.name = "missing_in_the_other_spelling", .spec = CONFIG("{sweep: {use_ai_configurator: true}}"), .warnings = system},
      {.name = "empty", .spec = SWEEP("aicSystem: ''"), .warnings = system},
      {.name = "null", .spec = SWEEP("aicSystem: null"), .warnings = system},
      {.name = "not_simulated", .spec = CONFIG("{sweep: {useAiConfigurator: false, aicBackend: trtllm}}")},
      {.name = "not_said", .spec = CONFIG("{sweep: {aicBackend: trtllm}}")},
      {.name = "the_same_backend", .spec = SWEEP("aicSystem: s, aicBackend: vllm")},
      {.name = "an_empty_backend", .spec = SWEEP("aicSystem: s, aicBackend: ''")},
      {.name = "another_backend", .spec = SWEEP("aicSystem: s, aicBackend: trtllm"),
       .warnings = {{in_config(".sweep.aicBackend"), ""}}},
      {.name = "another_backend_in_the_other_spelling", .spec = SWEEP("aicSystem: s, aic_backend: trtllm"),
       .warnings = {{in_config(".sweep.aic_backend"), ""}}},
  }}, SWEEP("aicHfId: m"), SWEEP("aicSystem: s"), {}, system);
#undef SWEEP
}

RuleTable images() {
#define IMAGES(backend, profiling, overrides) \
  "{model: m, backend: " backend ", profilingConfig: {config: {}, " profiling "}" overrides "}"
#define WORKERS(image) ", deploymentOverrides: {workersImage: '" image "'}"
  const std::vector<Place> workers{{"spec.deploymentOverrides.workersImage", ""}};
  const std::vector<Place> profiler{{"spec.profilingConfig.profilerImage", ""}};
  return with_updates({"dgdr.images", kGraphDeploymentRequest, {
      {.name = "workers", .spec = IMAGES("vllm", "profilerImage: i", WORKERS("nvcr.io/a/vllm-runtime:1"))},
      {.name = "a_graph_to_start_from", .spec = IMAGES("vllm", "profilerImage: i, configMapRef: {name: c}", "")},
      {.name = "neither", .spec = IMAGES("vllm", "profilerImage: i", ""), .warnings = workers},
      {.name = "a_graph_without_a_name", .spec = IMAGES("vllm", "profilerImage: i, configMapRef: {name: ''}", ""), .warnings = workers},
      {.name = "another_engine", .spec = IMAGES("vllm", "profilerImage: i", WORKERS("nvcr.io/a/sglang-runtime:1")), .warnings = workers},
      {.name = "vllm_for_trtllm", .spec = IMAGES("trtllm", "profilerImage: i", WORKERS("nvcr.io/a/vllm-runtime@sha256:0123456789abcdef0123456789abcdef")), .warnings = workers},
      {.name = "tensorrtllm", .spec = IMAGES("trtllm", "profilerImage: i", WORKERS("nvcr.io/a/tensorrtllm-runtime:1"))},
      {.name = "trtllm_for_vllm", .spec = IMAGES("vllm", "profilerImage: i", WORKERS("my-trtllm")), .warnings = workers},
      {.name = "several_engines", .spec = IMAGES("vllm", "profilerImage: i", WORKERS("a/vllm-and-sglang:1"))},
      {.name = "no_engine_in_the_repository", .spec = IMAGES("vllm", "profilerImage: i", WORKERS("sglang.example.com/trtllm/worker:sglang"))},
      {.name = "a_placeholder", .spec = IMAGES("vllm", "profilerImage: i", WORKERS("a/vllm-runtime:my-tag")), .warnings = workers},
      {.name = "no_image", .spec = IMAGES("vllm", "profilerImage: 'Not An Image'", WORKERS("i")), .warnings = profiler},
      {.name = "a_placeholder_for_the_profiler", .spec = IMAGES("vllm", "profilerImage: '${IMAGE}'", WORKERS("i")), .warnings = profiler},
  }}, IMAGES("vllm", "profilerImage: i", ""), IMAGES("vllm", "profilerImage: i", WORKERS("i")), {}, workers);
#undef IMAGES
#undef WORKERS
}

RuleTable values() {
  const auto warned = [](std::string_view field) { return std::vector<Place>{{in_config(field), ""}}; };
  const std::vector<Place> model{{"spec.model", ""}};
  return with_updates({"dgdr.values", kGraphDeploymentRequest, {
      {.name = "smallest", .spec = CONFIG("{sla: {isl: 1, osl: 1, ttft: 0.1, itl: 0.1}, hardware: {minNumGpusPerEngine: 0, maxNumGpusPerEngine: 0, numGpusPerNode: 0}, "
                                          "sweep: {prefillInterpolationGranularity: 1, decodeInterpolationGranularity: 1}, engine: {maxContextLength: 2}}")},
      {.name = "no_model", .spec = "{model: '', backend: vllm, profilingConfig: {profilerImage: i, config: {}}}", .warnings = model},
      {.name = "absent_model", .spec = "{backend: vllm, profilingConfig: {profilerImage: i, config: {}}}", .warnings = model},
      {.name = "no_model_but_a_graph", .spec = "{model: '', backend: vllm, profilingConfig: {profilerImage: i, config: {}, configMapRef: {name: c}}}"},
      {.name = "devices_by_claims", .spec = "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {}, resources: {claims: [{name: gpu}]}}}",
       .warnings = {{"spec.profilingConfig.resources.claims", ""}}},
      {.name = "no_claims", .spec = "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {}, resources: {claims: []}}}"},
      {.name = "ttft_of_0", .spec = CONFIG("{sla: {ttft: 0}}"), .warnings = warned(".sla.ttft")},
      {.name = "itl_below_0", .spec = CONFIG("{sla: {itl: -2.5}}"), .warnings = warned(".sla.itl")},
      {.name = "isl_of_0", .spec = CONFIG("{sla: {isl: 0}}"), .warnings = warned(".sla.isl")},
      {.name = "osl_of_0", .spec = CONFIG("{sla: {osl: 0}}"), .warnings = warned(".sla.osl")},
      {.name = "numbers_as_texts_are_not_validated", .spec = CONFIG("{sla: {osl: '0', ttft: '0'}}")},
      {.name = "negative_gpus", .spec = CONFIG("{hardware: {minNumGpusPerEngine: -1, max_num_gpus_per_engine: -1, numGpusPerNode: -1}}"),
       .warnings = {{in_config(".hardware.max_num_gpus_per_engine"), ""}, {in_config(".hardware.minNumGpusPerEngine"), ""}, {in_config(".hardware.numGpusPerNode"), ""}}},
      {.name = "equal_gpus", .spec = CONFIG("{hardware: {minNumGpusPerEngine: 4, maxNumGpusPerEngine: 4}}")},
      {.name = "more_at_least_than_at_most", .spec = CONFIG("{hardware: {minNumGpusPerEngine: 5, maxNumGpusPerEngine: 4}}"), .warnings = warned(".hardware.minNumGpusPerEngine")},
      {.name = "in_the_other_spelling", .spec = CONFIG("{hardware: {min_num_gpus_per_engine: 5, maxNumGpusPerEngine: 4}}"), .warnings = warned(".hardware.min_num_gpus_per_engine")},
      {.name = "at_least_and_no_limit", .spec = CONFIG("{hardware: {minNumGpusPerEngine: 5, maxNumGpusPerEngine: 0}}")},
      {.name = "prefill_granularity_of_0", .spec = CONFIG("{sweep: {prefillInterpolationGranularity: 0}}"), .warnings = warned(".sweep.prefillInterpolationGranularity")},
      {.name = "decode_granularity_of_0", .spec = CONFIG("{sweep: {decode_interpolation_granularity: 0}}"), .warnings = warned(".sweep.decode_interpolation_granularity")},
      {.name = "just_long_enough", .spec = CONFIG("{sla: {isl: 3000, osl: 1096}, engine: {maxContextLength: 4096}}")},
      {.name = "one_token_too_many", .spec = CONFIG("{sla: {isl: 3000, osl: 1097}, engine: {maxContextLength: 4096}}"), .warnings = warned(".engine.maxContextLength")},
      {.name = "input_alone_too_long", .spec = CONFIG("{sla: {isl: 9223372036854775807, osl: 1}, engine: {maxContextLength: 4096}}"), .warnings = warned(".engine.maxContextLength")},
      {.name = "output_alone_too_long", .spec = CONFIG("{sla: {isl: 1, osl: 9223372036854775807}, engine: {max_context_length: 4096}}"), .warnings = warned(".engine.max_context_length")},
      {.name = "a_length_of_0_is_the_models", .spec = CONFIG("{sla: {isl: 3000, osl: 1097}, engine: {maxContextLength: 0}}")},
      {.name = "a_negative_length", .spec = CONFIG("{sla: {isl: 1, osl: 1}, engine: {maxContextLength: -1}}"), .warnings = warned(".engine.maxContextLength")},
  }}, CONFIG("{sla: {ttft: 0}}"), CONFIG("{sla: {ttft: 1}}"), {}, warned(".sla.ttft"));
}

RuleTable model_cache() {
#define CACHE(fields) CONFIG("{deployment: {modelCache: {" fields "}}}")
  const auto warned = [](std::string_view field) { return std::vector<Place>{{in_config(".deployment.modelCache." + std::string(field)), ""}}; };
  return with_updates({"dgdr.model-cache", kGraphDeploymentRequest, {
      {.name = "relative", .spec = CACHE("pvcName: p, pvcPath: hub/m")},
      {.name = "no_path", .spec = CACHE("pvcName: p"), .warnings = warned("pvcPath")},
      {.name = "an_empty_path", .spec = CACHE("pvcName: p, pvcPath: ''"), .warnings = warned("pvcPath")},
      {.name = "absolute_elsewhere", .spec = CACHE("pvcName: p, pvcPath: /models/m"), .warnings = warned("pvcPath")},
      {.name = "absolute_below_the_default", .spec = CACHE("pvcName: p, pvcPath: /opt/model-cache/m")},
      {.name = "absolute_below_the_mount", .spec = CACHE("pvcName: p, mountPath: /models/, pvcPath: /models/m")},
      {.name = "absolute_beside_the_mount", .spec = CACHE("pvcName: p, mountPath: /models, pvcPath: /models-2/m"), .warnings = warned("pvcPath")},
      {.name = "a_relative_mount", .spec = CACHE("pvcName: p, mountPath: models, pvcPath: m"), .warnings = warned("mountPath")},
      {.name = "a_mount_at_data", .spec = CACHE("pvcName: p, mountPath: /data, pvcPath: m"), .warnings = warned("mountPath")},
      {.name = "a_mount_below_config", .spec = CACHE("pvcName: p, mountPath: /config/models, pvcPath: m"), .warnings = warned("mountPath")},
      {.name = "a_mount_beside_data", .spec = CACHE("pvcName: p, mountPath: /data2, pvcPath: m")},
      {.name = "no_claim", .spec = CACHE("mountPath: models")},
      {.name = "in_the_other_spelling", .spec = CONFIG("{deployment: {model_cache: {pvc_name: p, pvc_path: m, mount_path: data}}}"),
       .warnings = {{in_config(".deployment.model_cache.mount_path"), ""}}},
  }}, CACHE("pvcName: p"), CACHE("pvcName: p, pvcPath: m"), {}, warned("pvcPath"));
#undef CACHE
}

RuleTable controller() {
  const api::ClusterFacts replaced{.operator_replaced = true};
  const std::vector<Place> warned{{"kind", ""}};
  return {"dgdr.controller", kGraphDeploymentRequest, {
      {.name = "operator_runs", .spec = CONFIG("{}")},
      {.name = "operator_is_replaced", .spec = CONFIG("{}"), .warnings = warned, .facts = replaced},
      {.name = "spec_changes", .spec = CONFIG("{sla: {isl: 1}}"), .old_spec = CONFIG("{}"), .warnings = warned, .facts = replaced},
      {.name = "spec_is_unchanged", .spec = CONFIG("{}"), .old_spec = CONFIG("{}"), .facts = replaced},
  }};
}

}  // namespace

std::vector<RuleTable> rendered_request_tables() {
  return {frozen(), values(), shape(), unknown_key(), aic_system(), model_cache(), images(), controller()};
}

// clang-format on

}  // namespace dynamo::test

#undef CONFIG
#undef IN_STATE

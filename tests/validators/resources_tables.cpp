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

// The service's resources, and those of its mainContainer.
#define OWN(fields) SERVICE("resources: {" fields "}")
#define MAIN_OWN(fields) MAIN("resources: {" fields "}")
#define ENGINE(fields) SERVICE(fields ", extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}")
#define PROFILING(fields) "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {}, resources: {" fields "}}}"

std::string limit(std::string_view name) { return in_service("resources.limits." + std::string(name)); }
std::string request(std::string_view name) { return in_service("resources.requests." + std::string(name)); }
std::string profiling(std::string_view field) { return "spec.profilingConfig.resources." + std::string(field); }

RuleTable gpu_requests_only() {
  const std::vector<Place> warned{{request("gpu"), ""}};
  return with_updates({"res.gpu.requests-only", kGraphDeployment, {
      {.name = "a_limit", .spec = OWN("limits: {gpu: '1'}")},
      {.name = "a_limit_and_a_request", .spec = OWN("requests: {gpu: '1'}, limits: {gpu: '1'}")},
      {.name = "a_request", .spec = OWN("requests: {gpu: '1'}"), .warnings = warned},
      {.name = "a_request_beside_other_limits", .spec = OWN("requests: {gpu: '1'}, limits: {cpu: '1'}"), .warnings = warned},
      {.name = "a_request_of_the_first_operator", .spec = OWN("requests: {gpu: '1'}"), .warnings = warned, .facts = kFirst},
      {.name = "a_request_of_a_later_operator", .spec = OWN("requests: {gpu: '1'}"), .facts = kLater},
      {.name = "a_request_for_none", .spec = OWN("requests: {gpu: '0'}")},
      {.name = "an_empty_request", .spec = OWN("requests: {gpu: ''}")},
      {.name = "a_request_that_is_none", .spec = OWN("requests: {gpu: one}"), .facts = {}},
      {.name = "a_limit_of_main",
       .spec = SERVICE("resources: {requests: {gpu: '1'}}, extraPodSpec: {mainContainer: {resources: {limits: {nvidia.com/gpu: 1}}}}")},
      {.name = "a_custom_limit", .spec = OWN("requests: {gpu: '1'}, limits: {custom: {amd.com/gpu: '1'}}")},
      {.name = "a_network_card", .spec = OWN("requests: {gpu: '1'}, limits: {custom: {rdma/ib: '1'}}"), .warnings = warned},
      {.name = "a_claim", .spec = SERVICE("resources: {requests: {gpu: '1'}, claims: [{name: a}]}, extraPodSpec: {resourceClaims: [{name: a, resourceClaimName: b}]}")},
      {.name = "a_component", .spec = "{dynamoNamespace: x, resources: {requests: {gpu: '1'}}}",
       .warnings = {{"spec.resources.requests.gpu", ""}}, .kind = kComponentDeployment},
  }}, OWN("requests: {gpu: '1'}"), OWN("limits: {gpu: '1'}"), {}, warned);
}

RuleTable quantity_implausible() {
  const auto memory = std::vector<Place>{{limit("memory"), ""}};
  const auto cpu = std::vector<Place>{{limit("cpu"), ""}};
#define LIMIT(amount) OWN("limits: {memory: " amount "}")
#define CPU(amount) OWN("limits: {cpu: " amount "}")
  return with_updates({"res.quantity.implausible", kGraphDeployment, {
      {.name = "usual_amounts", .spec = OWN("requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: '192', memory: 2Ti, gpu: '16', custom: {ephemeral-storage: 1Ti, hugepages-2Mi: 4Mi, rdma/ib: '40000'}}")},
      {.name = "parts_of_bytes", .spec = LIMIT("500m"), .warnings = memory},
      {.name = "one_and_a_half_bytes", .spec = LIMIT("1500m"), .warnings = memory},
      {.name = "parts_of_bytes_of_a_large_amount", .spec = LIMIT("16000000000001m"), .warnings = memory},
      {.name = "whole_bytes_in_thousandths", .spec = LIMIT("16000000000000m")},
      {.name = "a_fraction_of_gibibytes", .spec = LIMIT("1.5Gi")},
      {.name = "parts_of_bytes_requested", .spec = OWN("requests: {memory: 500m}"), .warnings = {{request("memory"), ""}}},
      {.name = "no_suffix", .spec = LIMIT("'16'"), .warnings = memory},
      {.name = "no_suffix_as_a_number", .spec = MAIN_OWN("limits: {memory: 16}"), .warnings = {{in_main("resources.limits[memory]"), ""}}},
      {.name = "bytes", .spec = LIMIT("'17179869184'")},
      {.name = "the_least", .spec = LIMIT("1M")},
      {.name = "less_than_the_least", .spec = LIMIT("'999999'"), .warnings = memory},
      {.name = "nothing", .spec = LIMIT("'0'")},
      {.name = "the_most", .spec = LIMIT("64Ti")},
      {.name = "more_than_the_most", .spec = LIMIT("16Pi"), .warnings = memory},
      {.name = "a_million_processors", .spec = CPU("500M"), .warnings = cpu},
      {.name = "bytes_of_processors", .spec = CPU("16Gi"), .warnings = cpu},
      {.name = "thousandths_without_suffix", .spec = CPU("'2000'"), .warnings = cpu},
      {.name = "the_most_processors", .spec = CPU("'1999'")},
      {.name = "a_thousandth_of_a_processor", .spec = CPU("1m")},
      {.name = "less_than_a_thousandth", .spec = CPU("900u"), .warnings = cpu},
      {.name = "memory_for_gpus", .spec = OWN("limits: {gpu: 80Gi}"), .warnings = {{limit("gpu"), ""}}},
      {.name = "memory_of_gpus_of_another_kind", .spec = OWN("limits: {custom: {vendor.example/gpu-memory: 80Gi}}")},
      {.name = "ephemeral_storage", .spec = OWN("limits: {custom: {ephemeral-storage: 100m}}"), .warnings = {{in_service("resources.limits.custom[ephemeral-storage]"), ""}}},
      {.name = "a_sidecar", .spec = POD("containers: [{name: s, image: i, resources: {requests: {memory: 200m}}}]"), .warnings = {{in_pod("containers[0].resources.requests[memory]"), ""}}},
      {.name = "shared_memory", .spec = SERVICE("sharedMemory: {size: 8m}"), .warnings = {{in_service("sharedMemory.size"), ""}}},
      {.name = "shared_memory_without_suffix", .spec = SERVICE("sharedMemory: {size: 16}"), .warnings = {{in_service("sharedMemory.size"), ""}}},
      {.name = "shared_memory_that_is_right", .spec = SERVICE("sharedMemory: {size: 16Gi}")},
      {.name = "an_empty_directory", .spec = POD("volumes: [{name: a, emptyDir: {sizeLimit: 500m}}, {name: b, emptyDir: {sizeLimit: 64Ki}}]"), .warnings = {{in_pod("volumes[0].emptyDir.sizeLimit"), ""}}},
      {.name = "a_claim_of_the_pod", .spec = POD("volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: '10'}}}}}}]"),
       .warnings = {{in_pod("volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests.storage"), ""}}},
      {.name = "the_pod_as_a_whole", .spec = POD("resources: {limits: {memory: 500m}}"), .warnings = {{in_pod("resources.limits[memory]"), ""}}},
      {.name = "a_claim", .spec = "{pvcs: [{name: a, create: true, size: '100', storageClass: s, volumeAccessMode: ReadWriteMany}], services: {W: {}}}", .warnings = {{"spec.pvcs[0].size", ""}}},
      {.name = "a_claim_that_exists", .spec = "{pvcs: [{name: a, create: false, size: '100'}], services: {W: {}}}"},
      {.name = "a_component", .spec = "{dynamoNamespace: x, resources: {limits: {memory: 500m}}}", .warnings = {{"spec.resources.limits.memory", ""}}, .kind = kComponentDeployment},
      {.name = "a_checkpoint", .spec = JOB("containers: [{name: main, image: i, resources: {limits: {memory: 500m}}}]"), .warnings = {{in_job("containers[0].resources.limits[memory]"), ""}}, .kind = kCheckpoint},
      {.name = "a_profiling_job", .spec = PROFILING("limits: {memory: 500m}"), .warnings = {{profiling("limits[memory]"), ""}}, .kind = kGraphDeploymentRequest},
  }}, LIMIT("500m"), LIMIT("500Mi"), {}, memory);
#undef LIMIT
#undef CPU
}

RuleTable gpu_missing() {
  const std::vector<Place> warned{{in_service("resources"), ""}};
  const auto engine = [](std::string_view module) {
    return "{services: {W: {componentType: worker, extraPodSpec: {mainContainer: {command: [python3, -m, " + std::string(module) + "]}}}}}";
  };
  static const std::string sglang = engine("dynamo.sglang");
  static const std::string mocker = engine("dynamo.mocker");
  return with_updates({"res.gpu.missing", kGraphDeployment, {
      {.name = "a_limit", .spec = ENGINE("resources: {limits: {gpu: '1'}}")},
      {.name = "nothing", .spec = ENGINE("replicas: 1"), .warnings = warned},
      {.name = "memory_only", .spec = ENGINE("resources: {limits: {memory: 8Gi}}"), .warnings = warned},
      {.name = "a_network_card_only", .spec = ENGINE("resources: {limits: {custom: {rdma/ib: '1'}}}"), .warnings = warned},
      {.name = "another_engine", .spec = sglang, .warnings = warned},
      {.name = "no_engine", .spec = mocker},
      {.name = "a_script_of_an_engine", .spec = MAIN("command: [sh, -c], args: ['python3 -m dynamo.trtllm --model-path /m']"), .warnings = warned},
      {.name = "a_frontend", .spec = "{services: {F: {componentType: frontend}}}"},
      {.name = "declared_and_not_seen", .spec = "{backendFramework: vllm, services: {W: {componentType: worker, extraPodSpec: {mainContainer: {command: [run]}}}}}"},
      {.name = "a_request_is_another_rules", .spec = ENGINE("resources: {requests: {gpu: '1'}}")},
      {.name = "a_slice_of_a_gpu", .spec = ENGINE("resources: {limits: {custom: {nvidia.com/mig-1g.5gb: '1'}}}")},
      {.name = "another_device", .spec = ENGINE("resources: {limits: {custom: {example.com/npu: '1'}}}")},
      {.name = "a_gpu_of_a_sidecar", .spec = POD("mainContainer: {command: [python3, -m, dynamo.vllm]}, containers: [{name: s, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]")},
      {.name = "a_claim", .spec = SERVICE("resources: {claims: [{name: a}]}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}")},
      {.name = "a_claim_of_the_pod", .spec = POD("mainContainer: {command: [python3, -m, dynamo.vllm]}, resourceClaims: [{name: a, resourceClaimName: b}]")},
      {.name = "a_runtime_class", .spec = POD("runtimeClassName: nvidia, mainContainer: {command: [python3, -m, dynamo.vllm]}")},
      {.name = "visible_devices", .spec = MAIN("command: [python3, -m, dynamo.vllm], env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]")},
      {.name = "no_device_needed", .spec = MAIN("command: [python3, -m, dynamo.vllm], args: [--device=cpu]")},
      {.name = "words_from_elsewhere", .spec = MAIN("command: [python3, -m, dynamo.vllm], args: ['$(ARGS)']")},
  }}, ENGINE("replicas: 1"), ENGINE("resources: {limits: {gpu: '1'}}"), {}, warned);
}

RuleTable quantity_invalid() {
  const auto bad = [](std::string_view name) { return std::vector<Finding>{{kInvalid, limit(name)}}; };
  const std::vector<Finding> of_main{{kInvalid, in_main("resources.requests[cpu]")}};
  return with_updates({"res.quantity.invalid", kGraphDeployment, {
      {.name = "quantities", .spec = OWN("limits: {cpu: 500m, memory: 1.5Gi, gpu: '1', custom: {rdma/ib: '1', ephemeral-storage: '1e9'}}, requests: {cpu: '.5', memory: 1G}")},
      {.name = "none_at_all", .spec = OWN("limits: {cpu: '', memory: '', gpu: ''}")},
      {.name = "zero", .spec = OWN("limits: {cpu: '0', memory: '-0'}")},
      {.name = "a_unit", .spec = OWN("limits: {memory: 16GB}"), .errors = bad("memory")},
      {.name = "a_blank", .spec = OWN("limits: {memory: 16 Gi}"), .errors = bad("memory")},
      {.name = "a_word", .spec = OWN("limits: {gpu: one}"), .errors = bad("gpu")},
      {.name = "a_word_under_another_name", .spec = OWN("limits: {gpu: one, gpuType: amd.com/gpu}"), .errors = bad("gpu")},
      {.name = "below_zero", .spec = OWN("limits: {cpu: '-1'}"), .errors = bad("cpu")},
      {.name = "an_empty_custom_amount", .spec = OWN("limits: {custom: {a/b: ''}}"), .errors = bad("custom[a/b]")},
      {.name = "several", .spec = OWN("limits: {cpu: a, memory: b}, requests: {cpu: c}"),
       .errors = {{kInvalid, limit("cpu")}, {kInvalid, limit("memory")}, {kInvalid, request("cpu")}}},
      {.name = "a_request_for_gpus_perhaps", .spec = OWN("requests: {gpu: one}"), .warnings = {{request("gpu"), ""}}},
      {.name = "a_request_for_gpus_of_a_later_operator", .spec = OWN("requests: {gpu: '-1'}"), .warnings = {{request("gpu"), ""}}, .facts = kLater},
      {.name = "of_main", .spec = MAIN_OWN("requests: {cpu: -1}"), .errors = of_main},
      {.name = "of_main_and_overridden",
       .spec = SERVICE("resources: {requests: {cpu: '1'}}, extraPodSpec: {mainContainer: {resources: {requests: {cpu: -1}}}}")},
      {.name = "of_a_sidecar", .spec = POD("containers: [{name: s, image: i, resources: {limits: {cpu: '-1'}}}]"),
       .errors = {{kInvalid, in_pod("containers[0].resources.limits[cpu]")}}},
      {.name = "of_an_init_container", .spec = POD("initContainers: [{name: s, image: i, resources: {limits: {cpu: -1m}}}]"),
       .errors = {{kInvalid, in_pod("initContainers[0].resources.limits[cpu]")}}},
      {.name = "of_a_checkpoints_job", .spec = JOB("containers: [{name: c, image: i, resources: {limits: {cpu: '-1'}}}]"),
       .errors = {{kInvalid, in_job("containers[0].resources.limits[cpu]")}}, .kind = kCheckpoint},
      {.name = "of_a_profiling_job", .spec = PROFILING("limits: {cpu: '-1'}"),
       .errors = {{kInvalid, profiling("limits[cpu]")}}, .kind = kGraphDeploymentRequest},
      {.name = "of_a_component", .spec = "{dynamoNamespace: x, resources: {limits: {cpu: two}}}",
       .errors = {{kInvalid, "spec.resources.limits.cpu"}}, .kind = kComponentDeployment},
  }}, OWN("limits: {memory: 16GB}"), OWN("limits: {memory: 15GB}"), bad("memory"));
}

RuleTable request_exceeds_limit() {
  const std::vector<Finding> denied{{kInvalid, request("memory")}};
  return with_updates({"res.request-exceeds-limit", kGraphDeployment, {
      {.name = "less", .spec = OWN("requests: {memory: 1Gi}, limits: {memory: 2Gi}")},
      {.name = "the_same", .spec = OWN("requests: {memory: 1Gi}, limits: {memory: 1024Mi}")},
      {.name = "more", .spec = OWN("requests: {memory: 1025Mi}, limits: {memory: 1Gi}"), .errors = denied},
      {.name = "cpu", .spec = OWN("requests: {cpu: 1001m}, limits: {cpu: '1'}"), .errors = {{kInvalid, request("cpu")}}},
      {.name = "only_one_of_them", .spec = OWN("requests: {memory: 2Gi}, limits: {cpu: '1'}")},
      {.name = "storage", .spec = OWN("requests: {custom: {ephemeral-storage: 2Gi}}, limits: {custom: {ephemeral-storage: 1Gi}}"),
       .errors = {{kInvalid, request("custom[ephemeral-storage]")}}},
      {.name = "extended_resources_are_another_rules", .spec = OWN("requests: {custom: {a/b: '2'}}, limits: {custom: {a/b: '1'}}")},
      {.name = "huge_pages_are_another_rules", .spec = OWN("requests: {custom: {hugepages-2Mi: 4Mi}}, limits: {cpu: '1', custom: {hugepages-2Mi: 2Mi}}")},
      {.name = "what_cannot_be_compared", .spec = MAIN_OWN("requests: {cpu: 2}, limits: {cpu: {}}"),
       .errors = {{kTypeInvalid, in_main("resources.limits[cpu]"), "type.mismatch"}}},
      {.name = "a_limit_over_a_request_of_main",
       .spec = SERVICE("resources: {limits: {memory: 1Gi}}, extraPodSpec: {mainContainer: {resources: {requests: {memory: 2Gi}}}}"),
       .errors = {{kInvalid, in_main("resources.requests[memory]")}}},
      {.name = "a_limit_in_both_places",
       .spec = SERVICE("resources: {limits: {memory: 1Gi}}, extraPodSpec: {mainContainer: {resources: {limits: {memory: 2Gi}}}}"),
       .warnings = {{in_main("resources.limits[memory]"), ""}}},
      {.name = "gpus_in_both_places",
       .spec = SERVICE("resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {resources: {limits: {nvidia.com/gpu: 2}}}}"),
       .warnings = {{in_main("resources.limits[nvidia.com/gpu]"), ""}}},
      {.name = "gpus_of_two_kinds",
       .spec = SERVICE("resources: {limits: {gpu: '1', gpuType: amd.com/gpu}}, extraPodSpec: {mainContainer: {resources: {limits: {nvidia.com/gpu: 2}}}}")},
      {.name = "a_custom_request_in_both_places",
       .spec = SERVICE("resources: {requests: {custom: {ephemeral-storage: 1Gi}}}, extraPodSpec: {mainContainer: {resources: {requests: {ephemeral-storage: 2Gi}}}}"),
       .warnings = {{in_main("resources.requests[ephemeral-storage]"), ""}}},
      {.name = "the_same_in_both_places",
       .spec = SERVICE("resources: {limits: {memory: 1Gi, cpu: '1'}}, extraPodSpec: {mainContainer: {resources: {limits: {memory: 1024Mi, cpu: 1}}}}")},
      {.name = "of_a_sidecar", .spec = POD("containers: [{name: s, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]"),
       .errors = {{kInvalid, in_pod("containers[0].resources.requests[cpu]")}}},
      {.name = "of_a_checkpoints_job", .spec = JOB("containers: [{name: c, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]"),
       .errors = {{kInvalid, in_job("containers[0].resources.requests[cpu]")}}, .kind = kCheckpoint},
      {.name = "of_a_profiling_job", .spec = PROFILING("requests: {cpu: 2}, limits: {cpu: 1}"),
       .errors = {{kInvalid, profiling("requests[cpu]")}}, .kind = kGraphDeploymentRequest},
  }}, OWN("requests: {memory: 2Gi}, limits: {memory: 1Gi}"), OWN("requests: {memory: 1Gi}, limits: {memory: 1Gi}"), denied);
}

RuleTable extended_rules() {
#define CUSTOM(limits, requests) OWN("limits: {cpu: '1', custom: {" limits "}}, requests: {custom: {" requests "}}")
  const auto limited = [](std::string_view name) { return std::vector<Finding>{{kInvalid, limit("custom[" + std::string(name) + "]")}}; };
  const auto requested = [](api::ErrorType type, std::string_view name) {
    return std::vector<Finding>{{type, request("custom[" + std::string(name) + "]")}};
  };
  static const std::string long_domain = "{services: {W: {componentType: worker, resources: {limits: {custom: {" + std::string(60, 'a') + "." + std::string(60, 'b') + "." + std::string(60, 'c') + "." + std::string(61, 'd') + "/e: '1'}}}}}}";
  static const std::string too_long_domain = "{services: {W: {componentType: worker, resources: {limits: {custom: {" + std::string(60, 'a') + "." + std::string(60, 'b') + "." + std::string(60, 'c') + "." + std::string(62, 'd') + "/e: '1'}}}}}}";
  const std::string longest(std::string(60, 'a') + "." + std::string(60, 'b') + "." + std::string(60, 'c') + "." + std::string(62, 'd') + "/e");
  return with_updates({"res.extended.rules", kGraphDeployment, {
      {.name = "names", .spec = CUSTOM("a/b: '1', example.com/C_d: '1', hugepages-1Gi: 1Gi, ephemeral-storage: 1Gi", "kubernetes.io/a: '2'")},
      {.name = "gpus", .spec = OWN("limits: {gpu: '8', gpuType: nvidia.com/mig-1g.5gb}")},
      {.name = "a_product_for_a_name", .spec = OWN("limits: {gpu: '1', gpuType: H100}"), .errors = {{kInvalid, limit("gpuType")}}},
      {.name = "a_product_without_gpus", .spec = OWN("limits: {gpuType: H100}")},
      {.name = "a_name_without_a_domain", .spec = CUSTOM("gpu: '1'", ""), .errors = limited("gpu")},
      {.name = "storage", .spec = CUSTOM("storage: 1Gi", ""), .errors = limited("storage")},
      {.name = "pods", .spec = CUSTOM("", "pods: '1'"), .errors = requested(kInvalid, "pods")},
      {.name = "an_upper_case_domain", .spec = CUSTOM("A/b: '1'", ""), .errors = limited("A/b")},
      {.name = "a_blank", .spec = CUSTOM("'a/b c': '1'", ""), .errors = limited("a/b c")},
      {.name = "two_slashes", .spec = CUSTOM("a/b/c: '1'", ""), .errors = limited("a/b/c")},
      {.name = "a_name_of_a_quota", .spec = CUSTOM("requests.a/b: '1'", ""), .errors = limited("requests.a/b")},
      {.name = "the_longest_domain", .spec = long_domain},
      {.name = "too_long_a_domain", .spec = too_long_domain, .errors = limited(longest)},
      {.name = "a_fraction", .spec = OWN("limits: {gpu: '0.5'}"), .errors = {{kInvalid, limit("gpu")}}},
      {.name = "thousandths", .spec = CUSTOM("a/b: 1500m", ""), .errors = limited("a/b")},
      {.name = "thousandths_that_are_whole", .spec = CUSTOM("a/b: 2000m", "a/b: '2'")},
      {.name = "below_zero_is_another_rules", .spec = CUSTOM("a/b: '-1'", "")},
      {.name = "a_request_without_a_limit", .spec = CUSTOM("", "a/b: '1'"), .errors = requested(kRequired, "a/b")},
      {.name = "a_smaller_request", .spec = CUSTOM("a/b: '2'", "a/b: '1'"), .errors = requested(kInvalid, "a/b")},
      {.name = "a_greater_request", .spec = CUSTOM("a/b: '2'", "a/b: '3'"), .errors = requested(kInvalid, "a/b")},
      {.name = "a_request_that_meets_the_limit_of_the_service",
       .spec = SERVICE("resources: {limits: {gpu: '2'}}, extraPodSpec: {mainContainer: {resources: {requests: {nvidia.com/gpu: 1}}}}"),
       .errors = {{kInvalid, in_main("resources.requests[nvidia.com/gpu]")}}},
      {.name = "a_request_for_gpus_perhaps", .spec = OWN("limits: {gpu: '2'}, requests: {gpu: '1'}"), .warnings = {{request("gpu"), ""}}},
      {.name = "a_request_for_gpus_of_the_first_operator", .spec = OWN("limits: {gpu: '2'}, requests: {gpu: '1'}"), .facts = kFirst},
      {.name = "a_request_for_gpus_of_a_later_operator", .spec = OWN("limits: {gpu: '2'}, requests: {gpu: '1'}"), .errors = {{kInvalid, request("gpu")}}, .facts = kLater},
      {.name = "pages_without_a_size", .spec = CUSTOM("hugepages-x: 1Gi", ""), .errors = limited("hugepages-x")},
      {.name = "pages_of_no_bytes", .spec = CUSTOM("hugepages-0: 1Gi", ""), .errors = limited("hugepages-0")},
      {.name = "parts_of_pages", .spec = CUSTOM("hugepages-2Mi: 3Mi", ""), .errors = limited("hugepages-2Mi")},
      {.name = "a_smaller_request_for_pages", .spec = CUSTOM("hugepages-2Mi: 4Mi", "hugepages-2Mi: 2Mi"), .errors = requested(kInvalid, "hugepages-2Mi")},
      {.name = "pages_without_a_limit", .spec = CUSTOM("", "hugepages-2Mi: 2Mi"), .errors = requested(kRequired, "hugepages-2Mi")},
      {.name = "pages_alone", .spec = OWN("limits: {custom: {hugepages-2Mi: 2Mi, a/b: '1'}}"), .errors = {{kForbidden, limit("custom[hugepages-2Mi]")}}},
      {.name = "pages_with_memory_requested", .spec = OWN("limits: {custom: {hugepages-2Mi: 2Mi}}, requests: {memory: 1Gi}")},
      {.name = "of_a_sidecar", .spec = POD("containers: [{name: s, image: i, resources: {limits: {gpu: 1}}}]"),
       .errors = {{kInvalid, in_pod("containers[0].resources.limits[gpu]")}}},
      {.name = "of_a_checkpoints_job", .spec = JOB("containers: [{name: c, image: i, resources: {requests: {nvidia.com/gpu: 1}}}]"),
       .errors = {{kRequired, in_job("containers[0].resources.requests[nvidia.com/gpu]")}}, .kind = kCheckpoint},
      {.name = "of_a_profiling_job", .spec = PROFILING("limits: {gpu: 1}"),
       .errors = {{kInvalid, profiling("limits[gpu]")}}, .kind = kGraphDeploymentRequest},
  }}, CUSTOM("a/b: 1500m", ""), CUSTOM("a/b: 1600m", ""), limited("a/b"));
#undef CUSTOM
}

RuleTable claims_unknown() {
#define POD_CLAIMS(claims) POD("resourceClaims: [" claims "]")
#define CLAIMED(claims, pods) SERVICE("resources: {claims: [" claims "]}, extraPodSpec: {resourceClaims: [" pods "]}")
  const std::vector<Finding> unknown{{kNotFound, in_service("resources.claims[0].name")}};
  const auto of_pod = [](std::string_view field) { return in_pod("resourceClaims[" + std::string(field)); };
  api::ClusterFacts before_34;
  before_34.kubernetes_minor = 33;
  api::ClusterFacts since_34;
  since_34.kubernetes_minor = 34;
  RuleTable table = with_updates({"res.claims.unknown", kGraphDeployment, {
      {.name = "known", .spec = CLAIMED("{name: a}", "{name: a, resourceClaimName: b}")},
      {.name = "two_requests_of_one", .spec = CLAIMED("{name: a, request: one}, {name: a, request: two}", "{name: a, resourceClaimName: b}")},
      {.name = "unknown", .spec = CLAIMED("{name: b}", "{name: a, resourceClaimName: b}"), .errors = unknown},
      {.name = "none_in_the_pod", .spec = OWN("claims: [{name: a}]"), .errors = unknown},
      {.name = "unknown_where_claims_may_be_dropped", .spec = OWN("claims: [{name: a}]"), .warnings = {{in_service("resources.claims[0].name"), ""}}, .facts = before_34},
      {.name = "unknown_where_claims_are_perhaps_read", .spec = OWN("claims: [{name: a}]"), .warnings = {{in_service("resources.claims[0].name"), ""}}},
      {.name = "unknown_where_claims_are_read", .spec = OWN("claims: [{name: a}]"), .errors = unknown, .facts = since_34},
      {.name = "twice", .spec = CLAIMED("{name: a}, {name: a}", "{name: a, resourceClaimName: b}"),
       .errors = {{kDuplicate, in_service("resources.claims[1].name")}}},
      {.name = "all_of_it_and_a_part", .spec = CLAIMED("{name: a}, {name: a, request: one}", "{name: a, resourceClaimName: b}"),
       .errors = {{kDuplicate, in_service("resources.claims[1].name")}}},
      {.name = "a_part_and_all_of_it", .spec = CLAIMED("{name: a, request: one}, {name: a}", "{name: a, resourceClaimName: b}"),
       .errors = {{kDuplicate, in_service("resources.claims[1].name")}}},
      {.name = "a_request_with_a_bad_name", .spec = CLAIMED("{name: a, request: One}", "{name: a, resourceClaimName: b}"),
       .errors = {{kInvalid, in_service("resources.claims[0].request")}}},
      {.name = "by_main_and_by_the_service",
       .spec = SERVICE("resources: {claims: [{name: a}]}, extraPodSpec: {resourceClaims: [{name: a, resourceClaimName: b}], mainContainer: {resources: {claims: [{name: a}]}}}"),
       .errors = {{kDuplicate, in_service("resources.claims[0].name")}}},
      {.name = "a_nameless_claim", .spec = OWN("claims: [{request: a}]"), .errors = {{kRequired, in_service("resources.claims[0].name")}}},
      {.name = "by_a_sidecar", .spec = POD("containers: [{name: s, image: i, resources: {claims: [{name: a}]}}]"),
       .errors = {{kNotFound, in_pod("containers[0].resources.claims[0].name")}}},
      {.name = "by_a_checkpoints_job", .spec = JOB("containers: [{name: c, image: i, resources: {claims: [{name: a}]}}]"),
       .errors = {{kNotFound, in_job("containers[0].resources.claims[0].name")}}, .kind = kCheckpoint},
      {.name = "from_a_template", .spec = POD_CLAIMS("{name: a, resourceClaimTemplateName: b.c}")},
      {.name = "from_nothing", .spec = POD_CLAIMS("{name: a}"), .errors = {{kRequired, of_pod("0]")}}},
      {.name = "from_two", .spec = POD_CLAIMS("{name: a, resourceClaimName: b, resourceClaimTemplateName: c}"), .errors = {{kInvalid, of_pod("0]")}}},
      {.name = "from_what_is_not_known_here", .spec = POD_CLAIMS("{name: a, podGroupResourceClaim: b}")},
      {.name = "from_a_bad_name", .spec = POD_CLAIMS("{name: a, resourceClaimName: B_c}"), .errors = {{kInvalid, of_pod("0].resourceClaimName")}}},
      {.name = "a_bad_name", .spec = POD_CLAIMS("{name: a.b, resourceClaimName: b}"), .errors = {{kInvalid, of_pod("0].name")}}},
      {.name = "no_name", .spec = POD_CLAIMS("{resourceClaimName: b}"), .errors = {{kRequired, of_pod("0].name")}}},
      {.name = "a_name_twice", .spec = POD_CLAIMS("{name: a, resourceClaimName: b}, {name: a, resourceClaimName: c}"), .errors = {{kDuplicate, of_pod("1].name")}}},
  }}, OWN("claims: [{name: a}]"), CLAIMED("{name: a}", "{name: a, resourceClaimName: b}"), unknown);
  // Rows that depend on the version have a name that says so.
  for (Row& row : table.rows) {
    if (row.name.find("where_claims") == std::string_view::npos) row.facts = since_34;
    if (row.name == "by_main_and_by_the_service") row.facts.operator_generation = OperatorGeneration::kFirst;
  }
  return table;
#undef POD_CLAIMS
#undef CLAIMED
}

RuleTable parallelism_exceeds_gpus() {
#define RUN(limits, args) SERVICE("resources: {limits: {" limits "}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" args "]}}")
#define RUN_SGLANG(limits, args) SERVICE("resources: {limits: {" limits "}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang], args: [" args "]}}")
  const auto at = [](int item) { return std::vector<Place>{{in_main("args[" + std::to_string(item) + "]"), ""}}; };
  return with_updates({"res.parallelism.exceeds-gpus", kGraphDeployment, {
      {.name = "as_many", .spec = RUN("gpu: '8'", "--tensor-parallel-size, '4', --pipeline-parallel-size, '2'")},
      {.name = "one_more", .spec = RUN("gpu: '7'", "--model, m, --tensor-parallel-size, '8'"), .warnings = at(2)},
      {.name = "a_product", .spec = RUN("gpu: '7'", "--tensor-parallel-size, '4', --pipeline-parallel-size, '2'"), .warnings = at(0)},
      {.name = "only_pipeline", .spec = RUN("gpu: '1'", "--pipeline-parallel-size=2"), .warnings = at(0)},
      {.name = "fewer", .spec = RUN("gpu: '8'", "--tensor-parallel-size, '2'")},
      {.name = "with_an_equals_sign", .spec = RUN("gpu: '1'", "--tensor-parallel-size=2"), .warnings = at(0)},
      {.name = "with_underscores", .spec = RUN("gpu: '1'", "--tensor_parallel_size, '2'"), .warnings = at(0)},
      {.name = "short", .spec = RUN("gpu: '1'", "-tp, '2'"), .warnings = at(0)},
      {.name = "of_sglang", .spec = RUN_SGLANG("gpu: '4'", "--tp, '8'"), .warnings = at(0)},
      {.name = "of_sglang_in_full", .spec = RUN_SGLANG("gpu: '4'", "--tp-size, '8'"), .warnings = at(0)},
      {.name = "in_the_command", .spec = SERVICE("resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm, -tp, '2']}}"),
       .warnings = {{in_main("command[3]"), ""}}},
      {.name = "in_a_script", .spec = SERVICE("resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {args: ['python3 -m dynamo.vllm -tp \"2\"']}}"), .warnings = at(0)},
      {.name = "the_last_one_counts", .spec = RUN("gpu: '1'", "-tp, '2', -tp, '1'")},
      {.name = "replicas_of_vllm", .spec = RUN("gpu: '4'", "-tp, '4', --data-parallel-size, '2'"), .warnings = at(0)},
      {.name = "replicas_that_are_spread", .spec = RUN("gpu: '4'", "-tp, '4', --data-parallel-size, '2', --data-parallel-size-local, '1'")},
      {.name = "one_of_several_ranks", .spec = RUN("gpu: '4'", "-tp, '4', -dp, '2', --data-parallel-rank, '1'")},
      {.name = "replicas_of_sglang", .spec = RUN_SGLANG("gpu: '8'", "--tp, '8', --dp, '8'")},
      {.name = "several_nodes", .spec = SERVICE("multinode: {nodeCount: 2}, resources: {limits: {gpu: '8'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '16']}}")},
      {.name = "more_than_several_nodes", .spec = SERVICE("multinode: {nodeCount: 2}, resources: {limits: {gpu: '8'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '17']}}"), .warnings = at(0)},
      {.name = "replicas_on_several_nodes_are_another_rules", .spec = SERVICE("multinode: {nodeCount: 2}, resources: {limits: {gpu: '8'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '8', --data-parallel-size, '4']}}")},
      {.name = "a_variable", .spec = RUN("gpu: '1'", "--tensor-parallel-size, $(TP), -pp, '2'")},
      {.name = "words_from_elsewhere", .spec = RUN("gpu: '1'", "-tp, '2', $(ARGS)")},
      {.name = "the_value_of_another_flag", .spec = RUN("gpu: '1'", "-tp, '2', --model, $(MODEL)"), .warnings = at(0)},
      {.name = "a_file", .spec = RUN("gpu: '1'", "-tp, '2', --config, /a.yaml")},
      {.name = "the_file_of_an_engine",
       .spec = SERVICE("resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm], args: [--tensor-parallel-size, '2', --extra-engine-args, /a.yaml]}}")},
      {.name = "two_engines", .spec = SERVICE("resources: {limits: {gpu: '2'}}, extraPodSpec: {mainContainer: {args: ['python3 -m dynamo.vllm -pp 2 & python3 -m dynamo.vllm -tp 2']}}")},
      {.name = "a_number_that_is_none", .spec = RUN("gpu: '1'", "-tp, two")},
      {.name = "the_greatest_numbers", .spec = RUN("gpu: '1'", "-tp, '9223372036854775807', -pp, '9223372036854775807'"), .warnings = at(0)},
      {.name = "no_gpus_is_another_rules", .spec = RUN("cpu: '1'", "-tp, '2'")},
      {.name = "gpus_of_another_maker", .spec = RUN("custom: {amd.com/gpu: '1'}", "-tp, '2'"), .warnings = at(0)},
      {.name = "slices", .spec = RUN("custom: {nvidia.com/mig-1g.5gb: '1'}", "-tp, '2'")},
      {.name = "gpus_beside_other_devices", .spec = RUN("gpu: '1', custom: {example.com/npu: '1'}", "-tp, '2'")},
      {.name = "a_network_card", .spec = RUN("gpu: '1', custom: {rdma/ib: '8'}", "-tp, '2'"), .warnings = at(0)},
      {.name = "a_claim", .spec = SERVICE("resources: {limits: {gpu: '1'}, claims: [{name: a}]}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [-tp, '2']}}")},
      {.name = "a_request_of_a_later_operator", .spec = SERVICE("resources: {requests: {gpu: '1'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [-tp, '2']}}"), .warnings = at(0), .facts = kLater},
      {.name = "a_request_of_the_first_operator", .spec = SERVICE("resources: {requests: {gpu: '1'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [-tp, '2']}}"), .facts = kFirst},
      {.name = "a_frontend", .spec = "{services: {F: {componentType: frontend, resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {args: [-tp, '2']}}}}}"},
      {.name = "an_engine_that_only_plays", .spec = "{backendFramework: vllm, services: {W: {componentType: worker, resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker], args: [-tp, '2']}}}}}"},
  }}, RUN("gpu: '1'", "-tp, '2'"), RUN("gpu: '2'", "-tp, '2'"), {}, at(0));
#undef RUN
#undef RUN_SGLANG
}

}  // namespace

std::vector<RuleTable> resources_tables() {
  return {gpu_requests_only(), gpu_missing(), quantity_invalid(), quantity_implausible(), request_exceeds_limit(),
          extended_rules(), claims_unknown(), parallelism_exceeds_gpus()};
}

}  // namespace dynamo::test

#undef OWN
#undef MAIN_OWN
#undef ENGINE
#undef PROFILING

// Whether an engine gets GPUs, and enough of them.
#include <algorithm>
#include <array>
#include <optional>

#include "render/document/overlay.hpp"
#include "schema/quantity.hpp"
#include "validators/content/amount.hpp"
#include "validators/content/resource_name.hpp"
#include "validators/rendered/command_words.hpp"
#include "validators/rendered/multinode/parallel_sizes.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rendered/resources/container_resources.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::resources {

using api::Context;

namespace {

using api::ErrorType;
using render::Container;
using render::Framework;
using render::Resource;

constexpr std::string_view kGpuLimit = "resources.limits.gpu";

json::Value requested_gpus(const RenderedPod& pod) {
  return pod.component->service.value()["resources"]["requests"]["gpu"];
}

// Whether some container has a resource that may be a GPU, or claims devices.
bool has_devices(const RenderedPod& pod) {
  if (pod.pod->user["resourceClaims"].size() > 0) return true;
  return std::ranges::any_of(pod.pod->containers, [](const Container& container) {
    return !container.resources.claims.empty() ||
           std::ranges::any_of(container.resources.items, [](const Resource& resource) {
             // even under a name that another rule refuses
             return can_be_gpu(resource.name) || resource.limit_origin.field == kGpuLimit;
           });
  });
}

// Whether devices are assigned another way, or the engine needs none.
bool needs_no_devices(const RenderedPod& pod) {
  const Container& main = pod.pod->main();
  if (!pod.pod->user["runtimeClassName"].string_or_empty().empty()) return true;
  const bool by_variable = std::ranges::any_of(main.variables, [](const render::Variable& each) {
    return each.name == "NVIDIA_VISIBLE_DEVICES" || each.name == "CUDA_VISIBLE_DEVICES" ||
           each.name == "VLLM_TARGET_DEVICE";
  });
  if (by_variable || has_computed_words(main)) return true;
  return find_flags<1>(main, {"--device"})[0].given || mentions(main, {"mocker"});
}

// The whole GPUs of one pod of the service; nullopt if unknown.
std::optional<std::int64_t> gpus_of(const Context& context, const RenderedPod& pod) {
  const render::Resources& resources = pod.pod->main().resources;
  if (!resources.claims.empty() || pod.pod->user["resourceClaims"].size() > 0) return std::nullopt;
  std::optional<std::int64_t> gpus;
  for (const Resource& resource : resources.items) {
    if (!can_be_gpu(resource.name)) continue;
    const bool whole_devices = resource.limit_origin.field == kGpuLimit ||
                               resource.name == "nvidia.com/gpu" || resource.name == "amd.com/gpu";
    const std::optional<Amount> amount = amount_of(resource.limit);
    if (!whole_devices || gpus || !amount || amount->negative || !amount->is_whole()) {
      return std::nullopt;
    }
    gpus = static_cast<std::int64_t>(amount->whole);
  }
  if (!gpus && severity_of(OperatorBehaviour::kGpuRequestDiffers, context) != Severity::kOff) {
    const std::optional<Amount> amount = amount_of(requested_gpus(pod));
    if (amount && !amount->negative && amount->is_whole()) {
      gpus = static_cast<std::int64_t>(amount->whole);
    }
  }
  return gpus == 0 ? std::nullopt : gpus;
}

// "tensor 8, pipeline 2"
std::string spelled(const WrittenSizes& sizes, bool with_data) {
  std::string text;
  const auto add = [&text](std::string_view name, const SizeFlag& flag) {
    if (!flag.is_given()) return;
    if (!text.empty()) text += ", ";
    text.append(name).append(" ").append(std::to_string(flag.size()));
  };
  add("tensor", sizes.tensor);
  add("pipeline", sizes.pipeline);
  if (with_data) add("data", sizes.data);
  return text;
}

const render::Origin& origin_of(const WrittenSizes& sizes) {
  if (sizes.tensor.is_given()) return sizes.tensor.origin;
  return sizes.pipeline.is_given() ? sizes.pipeline.origin : sizes.data.origin;
}

void gpu_requests_only(const Context& context, const RenderedPod& pod, Report& report) {
  const json::Value requested = requested_gpus(pod);
  if (!requested.exists() ||
      severity_of(OperatorBehaviour::kGpuRequestAlone, context) == Severity::kOff)
    return;
  const std::optional<Amount> amount = amount_of(requested);
  if (!amount || amount->is_zero()) return;
  const json::Value limit = pod.component->service.value()["resources"]["limits"]["gpu"];
  if (!render::is_empty(limit) || has_devices(pod)) return;
  add_at(report, ErrorType::kRequired, pod,
         render::origin_in(render::Block::kService, "resources.requests.gpu"),
         "must be set together with limits.gpu: the first operators drop it, so that the pod gets "
         "no GPU; found a request alone; set limits.gpu to " +
             written(requested));
}

void gpu_missing(const Context&, const RenderedPod& pod, Report& report) {
  const Framework engine = pod.pod->backend.detected;
  if (engine == Framework::kNoop || has_devices(pod)) return;
  if (!render::is_empty(requested_gpus(pod)) || needs_no_devices(pod)) return;
  report.add(ErrorType::kRequired, pod.path->child("resources"),
             "must ask for a GPU, without which dynamo." +
                 std::string(render::framework_name(engine)) +
                 " ends at its start; found none; set limits.gpu, or --device for an engine that "
                 "needs none");
}

void parallelism_exceeds_gpus(const Context& context, const RenderedPod& pod, Report& report) {
  const Framework engine = pod.pod->backend.framework;
  if (engine == Framework::kNoop) return;
  const std::optional<std::int64_t> gpus = gpus_of(context, pod);
  if (!gpus) return;
  const Container& main = pod.pod->main();
  const WrittenSizes sizes = written_sizes(main);
  if (sizes.incomplete || sizes.is_computed()) return;
  const std::int64_t nodes = pod.component->node_count;
  // Other engines share the GPUs of a model between its replicas. Another rule checks how vLLM's
  // replicas spread over several nodes.
  const bool with_data = engine == Framework::kVllm && !sizes.data_managed && nodes == 1;
  const std::int64_t needed = with_data ? sizes.all() : sizes.world();
  if (needed <= product(*gpus, nodes) || mentions(main, {"mocker"})) return;
  add_at(report, ErrorType::kInvalid, pod, origin_of(sizes),
         "must fit on the GPUs of the service; found sizes for " + std::to_string(needed) + " (" +
             spelled(sizes, with_data) + ") where " + std::to_string(nodes) +
             (nodes == 1 ? " node has " : " nodes each have ") + std::to_string(*gpus) +
             "; raise limits.gpu or lower the sizes");
}

}  // namespace

extern constexpr Rule kGpuRequestsOnlyRule{
    .id = "res.gpu.requests-only",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &gpu_requests_only,
    .field = "P.resources.requests.gpu",
};

extern constexpr Rule kGpuMissingRule{
    .id = "res.gpu.missing",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &gpu_missing,
    .field = "P.resources",
};

extern constexpr Rule kParallelismExceedsGpusRule{
    .id = "res.parallelism.exceeds-gpus",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &parallelism_exceeds_gpus,
    .field = "M.args",
};

}  // namespace dynamo::validators::resources

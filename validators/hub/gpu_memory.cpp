// Rules of later operators for GPU memory services, failover, checkpoints and power limits of a
// component.
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "validators/content/whole_number.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::gpu_memory {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr std::string_view kGpuMemory = "gpuMemoryService";

std::string_view type_of(const ComponentView& view) {
  return view.spec["type"].string_or_empty();
}

void inter_pod(const ComponentView& view, Report& report) {
  if (!is_inter_pod(gpu_memory_of(view.spec))) return;
  const FieldPath experimental = view.path.child("experimental");
  const FieldPath service = experimental.child(kGpuMemory);
  const FieldPath mode = service.child("mode");
  require_grove(view.object, mode, report);
  const std::string_view framework = view.object.backend_framework();
  if (framework == "vllm") return;
  report.add(ErrorType::kInvalid, mode,
             "must not be InterPod unless spec.backendFramework is vllm; found " +
                 quoted_or(framework, "no backendFramework"));
}

// A whole number, with an optional sign.
bool is_positive_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_whole_number(text).value_or(0) > 0;
}

// Whether a container of the list claims devices. If so, reports it.
bool refuse_claims(json::Value containers, const FieldPath& list, Report& report) {
  std::size_t index = 0;
  for (const json::Value container : containers.elements()) {
    const std::size_t at = index++;
    if (container["resources"]["claims"].size() == 0) continue;
    const FieldPath path = list.index(at);
    const FieldPath resources = path.child("resources");
    report.add(ErrorType::kForbidden, resources.child("claims"),
               "must be empty while the pod has the annotation dynamo.nvidia.com/gpu-power-limit, "
               "which does not know GPUs of claims; remove one of the two");
    return true;
  }
  return false;
}

void check_power_limit(const ComponentView& view, Report& report) {
  const json::Value limit = power_limit(view.spec);
  if (limit.is_nothing()) return;
  const FieldPath pod = view.path.child("podTemplate");
  if (!is_positive_number(limit.string_or_empty())) {
    const FieldPath metadata = pod.child("metadata");
    const FieldPath annotations = metadata.child("annotations");
    report.add(ErrorType::kInvalid, annotations.key(kPowerLimitAnnotation),
               "must be a whole number of watts above 0; found " + quoted(limit.string_or_empty()));
  }
  if (!gpu_memory_of(view.spec).is_nothing()) {
    const FieldPath experimental = view.path.child("experimental");
    return report.add(ErrorType::kForbidden, experimental.child(kGpuMemory),
                      "must not be set while the pod has the annotation "
                      "dynamo.nvidia.com/gpu-power-limit; remove one of the two");
  }
  const FieldPath spec = pod.child("spec");
  const json::Value pod_of = pod_spec(view.spec);
  if (refuse_claims(pod_of["containers"], spec.child("containers"), report)) return;
  refuse_claims(pod_of["initContainers"], spec.child("initContainers"), report);
}

void extra_clients(const ComponentView& view, const FieldPath& service, Report& report) {
  const FieldPath list = service.child("extraClientContainers");
  const NameSet containers{pod_spec(view.spec)["containers"]};
  std::vector<std::string_view> clients;
  for (const json::Value client : gpu_memory_of(view.spec)["extraClientContainers"].elements()) {
    clients.push_back(client.string_or_empty());
  }
  std::vector<std::size_t> sorted(clients.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  const auto name_of = [&clients](std::size_t index) { return clients[index]; };
  std::ranges::stable_sort(sorted, {}, name_of);
  for (std::size_t index = 0; index < clients.size(); ++index) {
    const std::string_view name = clients[index];
    if (*std::ranges::lower_bound(sorted, name, {}, name_of) != index) {
      report.add(ErrorType::kDuplicate, list.index(index),
                 [&] { return "must not repeat " + quoted(name) + "; remove it"; });
    } else if (!containers.contains(name)) {
      report.add(ErrorType::kInvalid, list.index(index), [&] {
        return "must be the name of a container in podTemplate; found " + quoted(name);
      });
    }
  }
}

void gpu_memory(const ComponentView& view, Report& report) {
  const json::Value service = gpu_memory_of(view.spec);
  if (service.is_nothing()) return;
  const FieldPath experimental = view.path.child("experimental");
  const FieldPath path = experimental.child(kGpuMemory);
  constexpr std::array<std::string_view, 3> kWorkers{"worker", "prefill", "decode"};
  if (std::ranges::find(kWorkers, type_of(view)) == kWorkers.end()) {
    report.add(ErrorType::kForbidden, path,
               "must not be set unless type is worker, prefill or decode; found type " +
                   quoted_or(type_of(view), "nothing"));
  }
  if (!gpu_count(view.spec)) {
    report.add(ErrorType::kForbidden, path,
               "must not be set unless container main has a whole number of GPUs; set its "
               "resources.limits[nvidia.com/gpu]");
  }
  if (!is_inter_pod(service)) extra_clients(view, path, report);
}

void failover(const ComponentView& view, Report& report) {
  const json::Value block = failover_of(view.spec);
  if (block.is_nothing()) return;
  const FieldPath experimental = view.path.child("experimental");
  const FieldPath path = experimental.child("failover");
  const json::Value service = gpu_memory_of(view.spec);
  if (service.is_nothing()) {
    report.add(ErrorType::kForbidden, path,
               "must not be set without gpuMemoryService, which keeps the memory of the failed "
               "engine; set it, or remove failover");
  } else if (is_inter_pod(block) != is_inter_pod(service)) {
    report.add(ErrorType::kInvalid, path.child("mode"),
               std::string("must be the mode of gpuMemoryService, ") +
                   (is_inter_pod(service) ? "InterPod" : "IntraPod"));
  }
  if (!is_inter_pod(block)) return;
  if (!gpu_count(view.spec)) {
    report.add(ErrorType::kForbidden, path,
               "must not be InterPod unless container main has a whole number of GPUs; set its "
               "resources.limits[nvidia.com/gpu]");
  }
  constexpr std::array<std::string_view, 3> kWithoutGpu{"epp", "frontend", "planner"};
  if (std::ranges::find(kWithoutGpu, type_of(view)) != kWithoutGpu.end()) {
    report.add(ErrorType::kForbidden, path,
               "must not be InterPod for type " + std::string(type_of(view)) + "; remove it");
  }
}

void checkpoint(const ComponentView& view, Report& report) {
  const json::Value block = checkpoint_of(view.spec);
  if (block.is_nothing()) return;
  const FieldPath experimental = view.path.child("experimental");
  const FieldPath path = experimental.child("checkpoint");
  const json::Value service = gpu_memory_of(view.spec);
  const bool enabled = is_true(block["enabled"]);
  if (enabled && view.object.context().facts.checkpoints_enabled == api::Fact::kNo) {
    report.add(ErrorType::kForbidden, path,
               "must not be enabled: the operator runs without checkpoints; turn them on there, "
               "or set enabled: false");
  }
  if (block["job"]["gmsClientContainers"].size() > 0) {
    const FieldPath job = path.child("job");
    const FieldPath clients = job.child("gmsClientContainers");
    if (service.is_nothing()) {
      report.add(ErrorType::kForbidden, clients,
                 "must be empty without gpuMemoryService; set it, or remove the list");
    } else if (is_inter_pod(service)) {
      report.add(ErrorType::kForbidden, clients,
                 "must be empty while gpuMemoryService.mode is InterPod; remove the list");
    }
  }
  if (!enabled) return;
  if (is_inter_pod(service)) {
    report.add(ErrorType::kForbidden, path,
               "must not be enabled while gpuMemoryService.mode is InterPod: a checkpoint saves "
               "one pod; set enabled: false");
  }
  if (!failover_of(view.spec).is_nothing()) {
    report.add(ErrorType::kForbidden, path,
               "must not be enabled together with failover; remove one of the two");
  }
}

}  // namespace

extern constexpr Rule kInterPodRule{
    .id = "hub.gpu-memory.inter-pod",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &inter_pod,
    .field = "H.experimental.gpuMemoryService.mode",
};

extern constexpr Rule kPowerLimitRule{
    .id = "hub.power-limit.value",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &check_power_limit,
    .field = "H.podTemplate.metadata.annotations[dynamo.nvidia.com/gpu-power-limit]",
};

extern constexpr Rule kGpuMemoryRule{
    .id = "hub.gpu-memory.component",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &gpu_memory,
    .field = "H.experimental.gpuMemoryService",
};

extern constexpr Rule kFailoverRule{
    .id = "hub.failover.component",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &failover,
    .field = "H.experimental.failover",
};

extern constexpr Rule kCheckpointRule{
    .id = "hub.checkpoint.component",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &checkpoint,
    .field = "H.experimental.checkpoint",
};

}  // namespace dynamo::validators::hub::gpu_memory

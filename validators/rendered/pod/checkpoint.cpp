// The job of a checkpoint. Its controller prepares the first container and snapshots it.
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;

// Whether the container has a resource of a device, such as nvidia.com/gpu, or a resource claim.
bool has_device(const render::Container& container) {
  if (!container.resources.claims.empty()) return true;
  return std::ranges::any_of(container.resources.items, [](const render::Resource& resource) {
    return resource.name.find('/') != std::string_view::npos;
  });
}

void checkpoint_template(const Context&, const RenderedPod& pod, Report& report) {
  const std::span<const render::Container> containers = pod.pod->containers;
  const render::Container& first = containers.front();
  std::size_t worker = 0;
  for (std::size_t at = 1; at < containers.size(); ++at) {
    const bool named = containers[at].name == "main" && first.name != "main";
    const bool with_device = has_device(containers[at]) && !has_device(first);
    if (named || with_device) worker = at;
  }
  if (worker > 0) {
    add_at(report, ErrorType::kInvalid, pod, first.field(""),
           found("must be the container of the worker: only the first one is prepared for the "
                 "checkpoint",
                 first.name, "move " + quoted(containers[worker].name) + " in front of it"));
  } else if (std::ranges::none_of(containers, has_device)) {
    add_at(report, ErrorType::kRequired, pod, first.field("resources"),
           "must ask for a GPU, such as limits: {nvidia.com/gpu: 1}; found none, and the worker "
           "stops without one");
  }
}

}  // namespace

extern constexpr Rule kCheckpointTemplateRule{
    .id = "ckpt.pod-template",
    .kinds = kinds::kCheckpoints,
    .severity = Severity::kWarn,
    .function = &checkpoint_template,
    .field = "spec.job.podTemplateSpec.spec.containers",
};

}  // namespace dynamo::validators::pod

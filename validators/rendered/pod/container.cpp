// Images and names of containers.
#include <string>

#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "text/names.hpp"
#include "validators/content/image.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;

constexpr std::string_view kBlanks = " \t\n\v\f\r";

// An example image that runs the component; the user chooses the version.
std::string example_image(render::Framework framework) {
  std::string image = "nvcr.io/nvidia/ai-dynamo/";
  switch (framework) {
    case render::Framework::kSglang:
      image += "sglang-runtime";
      break;
    case render::Framework::kTrtllm:
      image += "tensorrtllm-runtime";
      break;
    default:
      image += "vllm-runtime";
  }
  return image + ":<TAG>";
}

void check_image(const RenderedPod& pod, const render::Container& container, Report& report) {
  const render::Origin origin = container.field("image");
  const std::string_view image = container.image;
  if (image.empty()) {
    add_at(report, ErrorType::kRequired, pod, origin,
           "must name an image; found none: no operator has a default, and the API server refuses "
           "the pod template without one; set it, for example to " +
               example_image(pod.pod->backend.framework));
  } else if (kBlanks.find(image.front()) != std::string_view::npos ||
             kBlanks.find(image.back()) != std::string_view::npos) {
    add_at(report, ErrorType::kInvalid, pod, origin,
           found("must not begin or end with a blank", image, "remove it"));
  } else if (!is_image_reference(image) && !is_image_placeholder(image)) {
    // pod.image.placeholder reports placeholders.
    warn_at(report, pod, origin,
            found("must have the form [HOST[:PORT]/]path[:tag][@digest], the path in lower case",
                  image, "correct it, or no pod can start"));
  }
}

void check_name(const Context& context, const RenderedPod& pod, const render::Container& container,
                Report& report) {
  if (container.name.empty()) {
    add_at(report, ErrorType::kRequired, pod, container.name_origin(), "must be set");
  } else if (!text::is_dns_label(container.name)) {
    const Severity outcome = container.is_main()
                                 ? severity_of(OperatorBehaviour::kMainRenamed, context)
                                 : Severity::kDeny;
    add_finding_at(report, outcome, ErrorType::kInvalid, pod, container.name_origin(),
                   found(kDnsLabelForm, container.name, "rename it"));
  }
}

// Containers and init containers as one list.
class AllContainers {
 public:
  explicit AllContainers(const render::Pod& pod) : pod_(pod) {}
  std::size_t size() const { return pod_.containers.size() + pod_.init_containers.size(); }
  const render::Container& operator[](std::size_t index) const {
    const std::size_t regular = pod_.containers.size();
    return index < regular ? pod_.containers[index] : pod_.init_containers[index - regular];
  }

 private:
  const render::Pod& pod_;
};

void check_repeated_names(const Context& context, const RenderedPod& pod, Report& report) {
  const AllContainers all(*pod.pod);
  for_each_repeated(
      all.size(), [&](std::size_t at) { return all[at].name; },
      [&](std::size_t at, std::size_t before) {
        // Reports the container that the user can rename: not the operator's, and preferably not
        // the main container.
        const bool fixed = all[at].block == render::Block::kGenerated ||
                           (all[at].is_main() && all[before].block == render::Block::kSidecar);
        const render::Container& reported = fixed ? all[before] : all[at];
        const bool reserved = fixed || all[before].is_main();
        // Later operators treat the user's container with that name as the main container.
        const bool called_main = all[at].is_main() && all[before].block == render::Block::kSidecar;
        const Severity outcome = called_main
                                     ? severity_of(OperatorBehaviour::kSidecarCalledMain, context)
                                     : Severity::kDeny;
        add_finding_at(report, outcome, ErrorType::kDuplicate, pod, reported.name_origin(),
                       found("must be unique in the pod", reported.name,
                             reserved ? "the operator has a container of that name; rename this one"
                                      : "rename one of the two"));
      });
}

// The twin of a Deployment has a debugger, whether or not the Deployment has one.
void check_names_of_twin(const RenderedPod& pod, Report& report) {
  if (pod.pod->share_process_namespace || !render::has_debug_twin(*pod.component)) return;
  for_each_container(*pod.pod, [&](const render::Container& container) {
    if (container.name != render::kDebuggerContainer) return;
    add_at(report, ErrorType::kDuplicate, pod, container.name_origin(),
           found("must be another one where nvidia.com/enable-stealing-traffic-debug-mode is true",
                 container.name,
                 "the operator adds a container of that name to the twin that takes the traffic; "
                 "rename this one"));
  });
}

void image(const Context&, const RenderedPod& pod, Report& report) {
  for_each_container(
      *pod.pod, [&](const render::Container& container) { check_image(pod, container, report); });
}

void image_placeholder(const Context&, const RenderedPod& pod, Report& report) {
  for_each_container(*pod.pod, [&](const render::Container& container) {
    const std::string_view image = container.image;
    if (image.empty() || !is_image_placeholder(image)) return;
    add_at(report, ErrorType::kInvalid, pod, container.field("image"),
           found("must be an image, not the placeholder of one", image,
                 "name the image, or no pod can start"));
  });
}

void container_names(const Context& context, const RenderedPod& pod, Report& report) {
  for_each_container(*pod.pod, [&](const render::Container& container) {
    check_name(context, pod, container, report);
  });
  check_repeated_names(context, pod, report);
  check_names_of_twin(pod, report);
  const render::Container& main = pod.pod->main();
  if (!main.is_main() || main.name == "main" || !text::is_dns_label(main.name)) return;
  const render::Workload workload = render::workload_of(*pod.component);
  if (workload == render::Workload::kLeaderWorkerSet) {
    add_finding_at(report, severity_of(OperatorBehaviour::kMainRenamed, context),
                   ErrorType::kInvalid, pod, main.name_origin(),
                   found("must be \"main\" for several nodes in LeaderWorkerSets", main.name,
                         "remove the name"));
  } else {
    warn_at(report, pod, main.name_origin(),
            found("must be \"main\" for several nodes in LeaderWorkerSets and for checkpoints",
                  main.name, "remove the name"));
  }
}

}  // namespace

extern constexpr Rule kImageRule{
    .id = "pod.image",
    .kinds = kinds::kPods,
    .function = &image,
    .field = "C.image",
};

extern constexpr Rule kImagePlaceholderRule{
    .id = "pod.image.placeholder",
    .kinds = kinds::kPods,
    .severity = Severity::kWarn,
    .function = &image_placeholder,
    .field = "C.image",
};

extern constexpr Rule kContainerNamesRule{
    .id = "pod.container.names",
    .kinds = kinds::kPods,
    .function = &container_names,
    .field = "C.name",
};

}  // namespace dynamo::validators::pod

#include "manifests/builders.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "manifests/label_list.hpp"
#include "manifests/pod_metadata.hpp"
#include "manifests/pod_object.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/launch.hpp"
#include "render/pod/mpi.hpp"

namespace dynamo::render {
namespace {

std::string_view number(std::int64_t value, Arena& arena) {
  return Name{}.numbered(value).in(arena);
}

std::vector<Label> labels_of_set(const Component& component, std::int64_t replica, Arena& arena) {
  std::vector<Label> labels = list_of(workload_labels(component, arena));
  set_label(labels, {.key = label::kInstanceId, .value = number(replica, arena)});
  return labels;
}

// The labels of a pod; those of the set override the user's.
std::vector<Label> labels_of_pod(const Component& component, PodRole role,
                                 const std::vector<Label>& of_set, Arena& arena) {
  std::vector<Label> labels =
      with_selector_labels(component, pod_labels(component, role, arena), arena);
  for (const Label& label : of_set) set_label(labels, label);
  set_label(labels, {.key = label::kRole, .value = role == PodRole::kLeader ? "leader" : "worker"});
  std::erase_if(labels, [](const Label& label) { return label.key == label::kSelector; });
  return labels;
}

std::vector<Label> annotations_of_pod(const Component& component, std::string_view set,
                                      Arena& arena) {
  std::vector<Label> annotations =
      with_podinfo_annotations(component, pod_annotations(component, arena), arena);
  set_label(annotations, {.key = annotation::kGroupName, .value = set});
  return annotations;
}

}  // namespace

DesiredObject build_pod_group(const Component& component, std::int64_t replica,
                              const OwnerMetadata& owner, Arena& arena) {
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("minMember").integer(component.node_count).end_object();
  const Label instance = {.key = label::kInstanceId, .value = number(replica, arena)};
  return make_desired_object({.api_version = "scheduling.volcano.sh/v1beta1",
                              .kind = "PodGroup",
                              .name = leader_worker_set_name(component, replica).in(arena),
                              .namespace_name = component.namespace_name,
                              .labels = {&instance, 1},
                              .owner = owner},
                             spec);
}

std::optional<RenderRefusal> group_refusal_of(const Component& component,
                                              const api::FieldPath& path, Arena& arena) {
  const api::FieldPath pod_path = path.child("extraPodSpec");
  const api::FieldPath main_path = pod_path.child("mainContainer");
  for (const PodRole role : roles_of(component)) {
    const Pod pod = render_pod(component, role, arena);
    if (pod.main().name != kMainContainerName) {
      return RenderRefusal{main_path.child("name").render(),
                           "must be \"main\" or left out for a service of several nodes"};
    }
    const Launch launch = launch_of(component, pod.backend, role, pod.main(), arena);
    if (!launch.problem.empty()) {
      return RenderRefusal{main_path.render(), std::string(launch.problem)};
    }
    if (launch.command.empty() && component.from_checkpoint) {
      return RenderRefusal{
          path.child("checkpoint").render(),
          "must be left out for a service of several nodes: their pods need a command, "
          "and a checkpoint hands it to the image's entrypoint"};
    }
    if (launch.command.empty() || launch.args.empty()) {
      return RenderRefusal{main_path.render(),
                           "must give a command and args for a service of several nodes"};
    }
  }
  const json::Value gpu = component.service.value()["resources"]["limits"]["gpu"];
  if (gpu.is_nothing() || gpu.string_or_empty().empty()) {
    return RenderRefusal{path.child("resources.limits.gpu").render(),
                         "must be set for a service of several nodes"};
  }
  return std::nullopt;
}

DesiredObject build_leader_worker_set(const Component& component, std::int64_t replica,
                                      const OwnerMetadata& owner,
                                      const RenderEnvironment& environment, Arena& arena) {
  const std::string_view name = leader_worker_set_name(component, replica).in(arena);
  const std::vector<Label> labels = labels_of_set(component, replica, arena);
  const std::vector<Label> annotations = annotations_of_pod(component, name, arena);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("replicas").integer(1).member("startupPolicy", "LeaderCreated");
  out.key("leaderWorkerTemplate").start_object().key("size").integer(component.node_count);
  for (const PodRole role : {PodRole::kLeader, PodRole::kWorker}) {
    out.key(role == PodRole::kLeader ? "leaderTemplate" : "workerTemplate");
    const Pod pod = render_pod(component, role, arena);
    write_desired_template(out, component, pod, labels_of_pod(component, role, labels, arena),
                           annotations, environment, arena);
  }
  out.end_object().end_object();
  return make_desired_object({.api_version = "leaderworkerset.x-k8s.io/v1",
                              .kind = "LeaderWorkerSet",
                              .name = name,
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render

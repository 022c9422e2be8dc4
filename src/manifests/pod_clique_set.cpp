#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "manifests/builders.hpp"
#include "manifests/label_list.hpp"
#include "manifests/pod_metadata.hpp"
#include "manifests/pod_object.hpp"
#include "manifests/user_metadata.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

// Grove joins the names to those of its objects, and refuses longer ones.
std::optional<RenderRefusal> refusal_of_name(const Component& component,
                                             const api::FieldPath& path) {
  const std::size_t length = grove_name_length(component);
  if (length <= kLongestGroveName) return std::nullopt;
  return RenderRefusal{
      path.render(),
      "must have a name that, with the graph's, takes at most " +
          std::to_string(kLongestGroveName) + " characters" +
          (component.is_multinode() ? ", where a service of several nodes counts twice" : "") +
          "; found " + std::to_string(length)};
}

// TensorRT-LLM's leader connects to the workers when it starts.
bool starts_after_workers(const Component& component) {
  return component.is_multinode() && backend_of(component).framework == Framework::kTrtllm;
}

std::vector<Label> annotations_of_clique(const Component& component,
                                         const RenderEnvironment& environment, Arena& arena) {
  std::vector<Label> annotations =
      with_podinfo_annotations(component, pod_annotations(component, arena), arena);
  for (const RestartMark& mark : environment.restarts) {
    if (mark.service != component.service_name) continue;
    set_label(annotations, {.key = annotation::kRestartAt, .value = mark.value});
  }
  return annotations;
}

// Without a replica count there is one replica (Q15).
void write_replicas(json::Writer& out, const Component& component, PodRole role) {
  out.key("replicas");
  if (role == PodRole::kLeader) {
    out.integer(1);
  } else if (role == PodRole::kWorker) {
    out.integer(component.node_count - 1);
  } else {
    out.integer(component.service.value()["replicas"].integer().value_or(1));
  }
}

void write_clique(json::Writer& out, const Component& component, PodRole role,
                  const RenderEnvironment& environment, Arena& arena) {
  const std::string_view name = clique_name(component, role).in(arena);
  const Pod pod = render_pod(component, role, arena);
  out.start_object().member("name", name).key("labels");
  write_labels(out, with_selector_labels(component, pod_labels(component, role, arena), arena));
  out.key("annotations");
  write_labels(out, annotations_of_clique(component, environment, arena));
  out.key("spec").start_object().member("roleName", name);
  write_replicas(out, component, role);
  out.key("minAvailable").integer(1).key("podSpec");
  write_desired_pod_spec(out, component, pod, {}, environment, arena);
  if (role == PodRole::kLeader && starts_after_workers(component)) {
    out.key("startsAfter").start_array();
    out.string(clique_name(component, PodRole::kWorker).in(arena)).end_array();
  }
  out.end_object().end_object();
}

void write_group(json::Writer& out, const Component& component, Arena& arena) {
  out.start_object().member("name", clique_name(component, PodRole::kMain).in(arena));
  out.key("cliqueNames").start_array();
  for (const PodRole role : roles_of(component)) {
    out.string(clique_name(component, role).in(arena));
  }
  out.end_array().key("minAvailable").integer(1);
  const json::Value replicas = component.service.value()["replicas"];
  if (!replicas.is_nothing()) out.key("replicas").value(replicas);
  out.end_object();
}

void write_template(json::Writer& out, std::span<const Component> components,
                    const RenderEnvironment& environment, Arena& arena) {
  const bool is_ordered = std::ranges::any_of(components, starts_after_workers);
  start_clique_set_template(out, is_ordered, environment);
  out.key("cliques").start_array();
  for (const Component& component : components) {
    for (const PodRole role : roles_of(component)) {
      write_clique(out, component, role, environment, arena);
    }
  }
  out.end_array();
  if (std::ranges::any_of(components, &Component::is_multinode)) {
    out.key("podCliqueScalingGroups").start_array();
    for (const Component& component : components) {
      if (component.is_multinode()) write_group(out, component, arena);
    }
    out.end_array();
  }
  out.end_object();
}

}  // namespace

void start_clique_set_template(json::Writer& out, bool is_ordered,
                               const RenderEnvironment& environment) {
  out.start_object().member("cliqueStartupType",
                            is_ordered ? "CliqueStartupTypeExplicit" : "CliqueStartupTypeAnyOrder");
  out.key("headlessServiceConfig").start_object();
  out.key("publishNotReadyAddresses").boolean(true).end_object();
  if (environment.grove_termination_delay.count() > 0) {
    out.member("terminationDelay", go_duration(environment.grove_termination_delay));
  }
}

std::optional<RenderRefusal> clique_refusal_of(const Component& component,
                                               const api::FieldPath& path, Arena& arena) {
  auto refused = refusal_of_name(component, path);
  if (!refused) refused = refusal_of_metadata(component, path, LabelTarget::kWorkload);
  for (const PodRole role : roles_of(component)) {
    if (refused) break;
    const Pod pod = render_pod(component, role, arena);
    refused = refusal_of(component, pod, path, arena);
    if (refused || !component.is_multinode()) continue;
    const Launch launch = launch_of(component, pod.backend, role, pod.main(), arena);
    if (launch.problem.empty()) continue;
    refused = RenderRefusal{path.child("extraPodSpec").child("mainContainer").render(),
                            std::string(launch.problem)};
  }
  return refused;
}

DesiredObject build_pod_clique_set(std::span<const Component> components,
                                   const OwnerMetadata& owner, const RenderEnvironment& environment,
                                   Arena& arena) {
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("replicas").integer(1).key("template");
  write_template(out, components, environment, arena);
  out.end_object();
  return make_desired_object({.api_version = kGroveApiVersion,
                              .kind = kPodCliqueSetKind,
                              .name = owner.name,
                              .namespace_name = components.front().namespace_name,
                              .owner = owner},
                             spec);
}

std::string go_duration(std::chrono::milliseconds duration) {
  constexpr std::int64_t kSecond = 1'000;
  constexpr std::int64_t kMinute = 60 * kSecond;
  constexpr std::int64_t kHour = 60 * kMinute;
  const std::int64_t all = duration.count();
  if (all == 0) return "0s";
  if (all < kSecond) return std::to_string(all) + "ms";
  std::string text;
  if (all >= kHour) text += std::to_string(all / kHour) + "h";
  if (all >= kMinute) text += std::to_string(all % kHour / kMinute) + "m";
  text += std::to_string(all % kMinute / kSecond);
  if (std::string fraction = std::to_string(kSecond + all % kSecond); fraction != "1000") {
    while (fraction.ends_with('0')) fraction.pop_back();
    text += "." + fraction.substr(1);
  }
  return text + "s";
}

}  // namespace dynamo::render

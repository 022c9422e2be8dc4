#include "conversion/pod_template.hpp"

#include <algorithm>

#include "conversion/main_container.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

bool needs_pod_template(const Node* component) {
  for (const std::string_view name : {"resources", "envFromSecret", "livenessProbe",
                                      "readinessProbe", "extraPodMetadata", "frontendSidecar"}) {
    if (find(component, name) != nullptr) return true;
  }
  if (!is_empty(find(component, "envs"))) return true;
  const Node* const extra = find(component, "extraPodSpec");
  if (extra != nullptr && !is_empty_extra_pod_spec(extra)) return true;
  return std::ranges::any_of(children(find(component, "volumeMounts")), [](const Node* mount) {
    return !is_true(find(mount, "useAsCompilationCache"));
  });
}

PodTemplate empty_pod_template(Arena& arena) {
  return {.metadata = arena.object(types::kObjectMeta),
          .spec = arena.object(types::kPodSpec),
          .containers = arena.list()};
}

namespace {

Node* build_frontend_sidecar(Arena& arena, const Node* sidecar) {
  Node* const container = arena.object(types::kContainer);
  set(arena, container, "name", arena.string(kFrontendSidecar));
  set(arena, container, "image", find(sidecar, "image"));
  set(arena, container, "args", find(sidecar, "args"));
  set(arena, container, "env", find(sidecar, "envs"));
  const std::string_view secret = text_of(sidecar, "envFromSecret");
  if (!secret.empty()) set(arena, container, "envFrom", secret_env_from(arena, secret));
  return container;
}

}  // namespace

Node* build_containers(Arena& arena, const Node* component) {
  Node* const containers = arena.list();
  append(arena, containers, build_main_container(arena, component));
  for (const Node* container : children(find(component, "extraPodSpec", "containers"))) {
    if (name_of(container) != kMain) append(arena, containers, container);
  }
  const Node* const sidecar = find(component, "frontendSidecar");
  if (sidecar != nullptr && find_named(containers, kFrontendSidecar) == nullptr) {
    append(arena, containers, build_frontend_sidecar(arena, sidecar));
  }
  return containers;
}

PodTemplate build_pod_template(Arena& arena, const Node* component) {
  PodTemplate built = empty_pod_template(arena);
  const Node* const extra = find(component, "extraPodSpec");
  for (const Node* member : children(extra)) {
    const std::string_view name = member->field->name;
    if (are_same_name(name, "mainContainer") || are_same_name(name, "containers")) continue;
    set(arena, built.spec, name, member);
  }
  const Node* const metadata = find(component, "extraPodMetadata");
  for (const std::string_view name : {"annotations", "labels"}) {
    const Node* const map = find(metadata, name);
    if (!is_empty(map)) set(arena, built.metadata, name, map);
  }
  built.containers = build_containers(arena, component);
  return built;
}

Node* finish(Arena& arena, const PodTemplate& pod_template) {
  Node* const object = arena.object(types::kPodTemplateSpec);
  if (!is_empty(pod_template.containers)) {
    set(arena, pod_template.spec, "containers", pod_template.containers);
  }
  if (!is_zero(pod_template.metadata)) set(arena, object, "metadata", pod_template.metadata);
  if (!is_zero(pod_template.spec)) set(arena, object, "spec", pod_template.spec);
  return object;
}

Node* containers_of(const Node* pod_template) {
  return find(find(pod_template, "spec"), "containers");
}

}  // namespace dynamo::conversion

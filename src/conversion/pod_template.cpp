#include "conversion/pod_template.hpp"

#include "conversion/main_container.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

bool needs_pod_template(const Node* component) {
  for (const Node* member : children(component)) {
    const std::string_view name = member->field->name;
    if (name == "resources" || name == "envFromSecret" || name == "livenessProbe" ||
        name == "readinessProbe" || name == "extraPodMetadata" || name == "frontendSidecar") {
      return true;
    }
    if (name == "envs" && !is_empty(member)) return true;
    if (name == "extraPodSpec" && !is_empty_extra_pod_spec(member)) return true;
    if (name != "volumeMounts") continue;
    for (const Node* mount : children(member)) {
      if (!is_true(find(mount, "useAsCompilationCache"))) return true;
    }
  }
  return false;
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

PodTemplate build_pod_template(Arena& arena, const Node* component) {
  PodTemplate built = empty_pod_template(arena);
  const Node* const extra = find(component, "extraPodSpec");
  for (const Node* member : children(extra)) {
    const std::string_view name = member->field->name;
    if (name != "mainContainer" && name != "containers") set(arena, built.spec, name, member);
  }
  const Node* const metadata = find(component, "extraPodMetadata");
  for (const std::string_view name : {"annotations", "labels"}) {
    const Node* const map = find(metadata, name);
    if (!is_empty(map)) set(arena, built.metadata, name, map);
  }
  append(arena, built.containers, build_main_container(arena, component));
  for (const Node* container : children(find(extra, "containers"))) {
    if (text_of(container, "name") != kMain) append(arena, built.containers, container);
  }
  const Node* const sidecar = find(component, "frontendSidecar");
  if (sidecar != nullptr && find_named(built.containers, kFrontendSidecar) == nullptr) {
    append(arena, built.containers, build_frontend_sidecar(arena, sidecar));
  }
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

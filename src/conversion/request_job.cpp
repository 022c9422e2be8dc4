#include "conversion/main_container.hpp"
#include "conversion/request_parts.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr std::string_view kProfiler = "profiler";

const Node* pod_spec_of(const Node* job) {
  return find(find(job, "template"), "spec");
}

bool is_used(const Node* list_or_map) {
  return !is_empty(list_or_map);
}

// The job with its pod spec, which may be changed.
struct EditableJob {
  Node* job;
  Node* spec;
};

EditableJob edit(Arena& arena, const Node* job) {
  Node* const copy = copy_members(arena, job);
  Node* const pod = member_to_change(arena, copy, "template");
  return {.job = copy, .spec = member_to_change(arena, pod, "spec")};
}

// Earlier jobs left the name of the profiler's container empty.
const Node* name_profiler(Arena& arena, const Node* job) {
  const Node* const containers = find(pod_spec_of(job), "containers");
  if (find_named(containers, kProfiler) != nullptr || find_named(containers, "") == nullptr) {
    return job;
  }
  const EditableJob named = edit(arena, job);
  Node* const list = arena.list();
  bool has_named = false;
  for (const Node* container : children(containers)) {
    Node* const copy = copy_members(arena, container);
    if (!has_named && text_of(copy, "name").empty()) {
      set(arena, copy, "name", arena.string(kProfiler));
      has_named = true;
    }
    append(arena, list, copy);
  }
  set(arena, named.spec, "containers", list);
  return named.job;
}

Node* build_profiler(Arena& arena, const Node* resources) {
  Node* const profiler = arena.object(types::kContainer);
  set(arena, profiler, "name", arena.string(kProfiler));
  set(arena, profiler, "resources", resources);
  return profiler;
}

}  // namespace

Node* build_profiling_job(Arena& arena, const Node* profiling_config) {
  const Node* const resources = find(profiling_config, "resources");
  Node* const spec = arena.object(types::kPodSpec);
  for (const std::string_view name : {"tolerations", "nodeSelector"}) {
    if (is_used(find(profiling_config, name))) {
      set(arena, spec, name, find(profiling_config, name));
    }
  }
  if (resources != nullptr) {
    Node* const containers = arena.list();
    append(arena, containers, build_profiler(arena, resources));
    set(arena, spec, "containers", containers);
  }
  if (is_empty(spec)) return nullptr;
  Node* const pod = arena.object(types::kPodTemplateSpec);
  set(arena, pod, "spec", spec);
  Node* const job = arena.object(types::kJobSpec);
  set(arena, job, "template", pod);
  return job;
}

const Node* merge_profiling_job(Arena& arena, const Node* live, const Node* hub) {
  if (hub == nullptr) return live;
  const Node* const base = name_profiler(arena, hub);
  if (live == nullptr) return base;
  const EditableJob merged = edit(arena, base);
  const Node* const live_spec = pod_spec_of(live);
  for (const std::string_view name : {"tolerations", "nodeSelector"}) {
    if (is_used(find(live_spec, name))) set(arena, merged.spec, name, find(live_spec, name));
  }
  const Node* const resources =
      find(find_named(find(live_spec, "containers"), kProfiler), "resources");
  if (is_zero(resources)) return merged.job;
  Node* const containers = arena.list();
  bool has_profiler = false;
  for (const Node* container : children(find(merged.spec, "containers"))) {
    Node* const copy = append(arena, containers, container);
    if (has_profiler || text_of(container, "name") != kProfiler) continue;
    Node* const changed = copy_members(arena, container);
    set(arena, changed, "resources", resources);
    copy->content = changed->content;
    has_profiler = true;
  }
  if (!has_profiler) append(arena, containers, build_profiler(arena, resources));
  set(arena, merged.spec, "containers", containers);
  return merged.job;
}

void split_profiling_job(Arena& arena, const Node* job, Node* profiling_config) {
  if (job == nullptr) return;
  const Node* const spec = pod_spec_of(name_profiler(arena, job));
  const Node* const resources = find(find_named(find(spec, "containers"), kProfiler), "resources");
  if (!is_zero(resources)) set(arena, profiling_config, "resources", resources);
  for (const std::string_view name : {"tolerations", "nodeSelector"}) {
    if (is_used(find(spec, name))) set(arena, profiling_config, name, find(spec, name));
  }
}

Node* profiling_job_remainder(Arena& arena, const Node* job) {
  if (job == nullptr) return nullptr;
  const EditableJob rest = edit(arena, name_profiler(arena, job));
  for (const std::string_view name : {"tolerations", "nodeSelector"}) {
    remove(rest.spec, name);
  }
  const Node* const containers = find(rest.spec, "containers");
  const Node* const profiler = find_named(containers, kProfiler);
  const Node* const resources = find(profiler, "resources");
  if (!is_zero(resources)) {
    Node* const kept = arena.list();
    for (const Node* container : children(containers)) {
      if (container != profiler) {
        append(arena, kept, container);
        continue;
      }
      Node* const changed = copy_members(arena, container);
      remove(changed, "resources");
      const bool is_only = count_children(containers) == 1;
      if (!is_only || !is_empty_container(changed)) append(arena, kept, changed);
    }
    set(arena, rest.spec, "containers", kept);
  }
  return is_zero(rest.job) ? nullptr : rest.job;
}

}  // namespace dynamo::conversion

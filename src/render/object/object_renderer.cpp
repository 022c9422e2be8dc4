#include "render/object/object_renderer.hpp"

#include <optional>
#include <utility>

#include "api/limits.hpp"
#include "render/document/origin.hpp"
#include "render/document/sorted_members.hpp"

namespace dynamo::render {
namespace {

constexpr api::FieldPath kMetadata{"metadata"};
constexpr api::FieldPath kName = kMetadata.child("name");
constexpr api::FieldPath kNamespace = kMetadata.child("namespace");
constexpr api::FieldPath kSpec{"spec"};
constexpr api::FieldPath kServices = kSpec.child("services");
constexpr api::FieldPath kJob = kSpec.child("job");
constexpr api::FieldPath kJobPod = kJob.child("podTemplateSpec");
constexpr api::FieldPath kProfiling = kSpec.child("profilingConfig");

}  // namespace

ObjectRenderer::ObjectRenderer(const api::Context& context, json::Value object, Arena& arena,
                               json::Value hub)
    : ObjectRenderer({context.kind, context.namespace_name, context.object_name},
                     profile_of(context.facts), object, arena, hub) {}

ObjectRenderer::ObjectRenderer(const Subject& subject, Profile profile, json::Value object,
                               Arena& arena, json::Value hub)
    : subject_(subject),
      arena_(arena),
      profile_(std::move(profile)),
      hub_(hub),
      result_{.object = api::Object{object}} {}

void ObjectRenderer::render() {
  rendered_ = true;
  switch (subject_.kind) {
    case api::Kind::kGraphDeployment:
      return render_graph();
    case api::Kind::kComponentDeployment:
      return render_component();
    case api::Kind::kCheckpoint:
      return render_job();
    case api::Kind::kGraphDeploymentRequest:
      return render_profiling();
    default:
      return;
  }
}

void ObjectRenderer::render_component() {
  const json::Value spec = result_.object.spec();
  if (!spec.is_object()) return;
  const LocatedPod located{{.pod = spec["extraPodSpec"], .service = spec}, &kSpec};
  if (!check_pod_limits({&located, 1}, kSpec)) return;
  ArenaList<RenderedPod> pods(arena_, 1);
  add(component_of(api::ComponentDeployment{result_.object.value()}, subject_.namespace_name,
                   profile_, hub_["spec"]),
      kSpec, pods);
  result_.pods = pods.items();
}

void ObjectRenderer::render_graph() {
  const api::GraphDeployment graph{result_.object.value()};
  // The rule dgd.services.limit reports it.
  const json::Value written = graph.services();
  if (written.size() > api::kMaxServices || !check_name_lengths(graph.metadata().name())) return;
  const std::span<const json::Member> services = sorted_members(written, arena_);
  const json::Value envs = graph.spec()["envs"];
  ArenaList<LocatedPod> located(arena_, services.size());
  for (const json::Member& service : services) {
    if (!service.value.is_object()) continue;  // the type rule reports it
    located.push(
        {{.pod = service.value["extraPodSpec"], .service = service.value, .graph_envs = envs},
         &arena_.make(kServices.key(service.name))});
  }
  if (!check_pod_limits(located.items(), kServices)) return;
  ArenaList<RenderedPod> pods(arena_, located.size());
  std::size_t at = 0;
  for (const json::Member& service : services) {
    if (!service.value.is_object()) continue;
    add(component_of(graph, subject_.namespace_name, service.name, service.value, profile_,
                     find_hub_component(hub_, service.name)),
        *located.items()[at++].path, pods);
  }
  result_.pods = pods.items();
}

// The job runs only the pod of its template.
void ObjectRenderer::render_job() {
  const json::Value job = api::Checkpoint{result_.object.value()}.job();
  const json::Value pod_template = job["podTemplateSpec"];
  const LocatedPod located{{.pod = pod_template["spec"], .is_template = true}, &kJobPod};
  if (!check_pod_limits({&located, 1}, kJobPod)) return;
  const auto pod = render_template(pod_template, arena_);
  if (!pod) return;
  const Component none{.profile = &profile_,
                       .in_graph = false,
                       .namespace_name = subject_.namespace_name,
                       .object_name = subject_.object_name};
  ArenaList<RenderedPod> pods(arena_, 1);
  pods.push({&arena_.make(none), &arena_.make(*pod), &kJobPod, result_.object});
  result_.pods = pods.items();
}

// Only the resources of the profiling job are rendered.
void ObjectRenderer::render_profiling() {
  const json::Value profiling = result_.object.spec()["profilingConfig"];
  const std::optional<Excess> excess = excess_of_profiling(profiling);
  if (excess) {
    result_.limit_violations = {&arena_.make(LimitViolation{&kProfiling, *excess}), 1};
    return;
  }
  result_.profiling = plain_resources(profiling["resources"], {.block = Block::kService}, arena_);
}

bool ObjectRenderer::check_name_lengths(std::string_view graph) {
  const bool is_namespace = graph.size() <= kLongestName;
  const std::size_t found = is_namespace ? subject_.namespace_name.size() : graph.size();
  if (found <= kLongestName) return true;
  const api::FieldPath& path = is_namespace ? kNamespace : kName;
  const Excess excess{{}, kLongestName, found};
  result_.limit_violations = {
      &arena_.make(LimitViolation{&path, excess, LimitViolation::Scope::kName}), 1};
  return false;
}

bool ObjectRenderer::check_pod_limits(std::span<const LocatedPod> pods,
                                      const api::FieldPath& whole) {
  std::size_t most = 0;
  for (const LocatedPod& pod : pods) most += pod.source.most_entries();
  const bool count_all = most > kMaxEntriesOfAll;
  std::size_t entries = 0;
  std::size_t excesses = 0;
  std::span<LimitViolation> notes;
  for (const LocatedPod& pod : pods) {
    if (!count_all && pod.source.surely_fits()) continue;
    const PodSize measured = measure(pod.source);
    entries += measured.entries;
    if (!measured.excess) continue;
    if (notes.empty()) notes = arena_.make_array<LimitViolation>(pods.size());
    notes[excesses++] = {pod.path, *measured.excess};
  }
  result_.limit_violations = notes.first(excesses);
  if (excesses > 0 || entries <= kMaxEntriesOfAll) return excesses == 0;
  const Excess excess{{}, kMaxEntriesOfAll, entries};
  result_.limit_violations = {
      &arena_.make(LimitViolation{&whole, excess, LimitViolation::Scope::kAllLists}), 1};
  return false;
}

void ObjectRenderer::add(const Component& component, const api::FieldPath& path,
                         ArenaList<RenderedPod>& pods) {
  const Component& kept = arena_.make(component);
  const Pod& pod = arena_.make(render_pod(kept, roles_of(kept).front(), arena_));
  pods.push({&kept, &pod, &path, result_.object});
}

}  // namespace dynamo::render

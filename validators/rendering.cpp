#include "validators/rendering.hpp"

#include <optional>
#include <utility>

#include "api/limits.hpp"
#include "render/origin.hpp"
#include "validators/sorted_members.hpp"

namespace dynamo::validators {
namespace {

constexpr api::FieldPath kSpec{"spec"};
constexpr api::FieldPath kServices = kSpec.child("services");
constexpr api::FieldPath kJob = kSpec.child("job");
constexpr api::FieldPath kJobPod = kJob.child("podTemplateSpec");
constexpr api::FieldPath kProfiling = kSpec.child("profilingConfig");

render::Pathway pathway_of(const api::ClusterFacts& facts) {
  if (facts.grove_served == api::Fact::kYes) return render::Pathway::kGrove;
  if (facts.grove_served == api::Fact::kUnknown) return render::Pathway::kUnknown;
  switch (facts.leader_worker_set_served) {
    case api::Fact::kYes:
      return render::Pathway::kLws;
    case api::Fact::kNo:
      return render::Pathway::kComponent;
    case api::Fact::kUnknown:
      break;
  }
  return render::Pathway::kNotGrove;
}

render::Discovery discovery_of(api::Fact kubernetes_discovery) {
  if (kubernetes_discovery == api::Fact::kYes) return render::Discovery::kKubernetes;
  if (kubernetes_discovery == api::Fact::kNo) return render::Discovery::kEtcd;
  return render::Discovery::kUnknown;
}

}  // namespace

void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail) {
  const render::OriginPath path(*pod.path, origin);
  report.add(type, path.path(), std::move(detail));
}

void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             std::string detail) {
  const render::OriginPath path(*pod.path, origin);
  report.also_warn(path.path(), std::move(detail));
}

render::Profile profile_of(const api::ClusterFacts& facts) {
  render::Profile profile;
  profile.operator_generation = facts.operator_generation;
  profile.pathway = pathway_of(facts);
  profile.discovery = discovery_of(facts.kubernetes_discovery);
  profile.kai_scheduler = facts.kai_scheduler_served;
  return profile;
}

Rendering::Rendering(const api::Context& context, json::Value object, render::Arena& arena)
    : context_(context),
      arena_(arena),
      profile_(profile_of(context.facts)),
      result_{.object = api::Object{object}} {}

void Rendering::render() {
  rendered_ = true;
  switch (context_.kind) {
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

void Rendering::render_component() {
  const json::Value spec = result_.object.spec();
  if (!spec.is_object()) return;
  const Placed placed{{.pod = spec["extraPodSpec"], .service = spec}, &kSpec};
  if (!fit({&placed, 1}, kSpec)) return;
  render::ArenaList<RenderedPod> pods(arena_, 1);
  add(render::component_of(api::ComponentDeployment{result_.object.value()},
                           context_.namespace_name, profile_),
      kSpec, pods);
  result_.pods = pods.items();
}

void Rendering::render_graph() {
  const api::GraphDeployment graph{result_.object.value()};
  // The rule dgd.services.limit says so.
  if (graph.services().size() > api::kMostServices) return;
  const std::span<const json::Member> services = sorted_members(graph.services(), arena_);
  const json::Value envs = graph.spec()["envs"];
  render::ArenaList<Placed> placed(arena_, services.size());
  for (const json::Member& service : services) {
    if (!service.value.is_object()) continue;  // said by the type rule
    placed.push(
        {{.pod = service.value["extraPodSpec"], .service = service.value, .graph_envs = envs},
         &arena_.make(kServices.key(service.name))});
  }
  if (!fit(placed.items(), kServices)) return;
  render::ArenaList<RenderedPod> pods(arena_, placed.size());
  std::size_t at = 0;
  for (const json::Member& service : services) {
    if (!service.value.is_object()) continue;
    add(render::component_of(graph, context_.namespace_name, service.name, service.value, profile_),
        *placed.items()[at++].path, pods);
  }
  result_.pods = pods.items();
}

// Nothing runs in the job but what its template says.
void Rendering::render_job() {
  const json::Value job = api::Checkpoint{result_.object.value()}.job();
  const json::Value pod_template = job["podTemplateSpec"];
  const Placed placed{{.pod = pod_template["spec"], .is_template = true}, &kJobPod};
  if (!fit({&placed, 1}, kJobPod)) return;
  const auto pod = render::render_template(pod_template, arena_);
  if (!pod) return;
  const render::Component none{.profile = &profile_,
                               .in_graph = false,
                               .namespace_name = context_.namespace_name,
                               .object_name = context_.object_name};
  render::ArenaList<RenderedPod> pods(arena_, 1);
  pods.push({&arena_.make(none), &arena_.make(*pod), &kJobPod, result_.object});
  result_.pods = pods.items();
}

// Only the resources of the profiling job are rendered.
void Rendering::render_profiling() {
  const json::Value profiling = result_.object.spec()["profilingConfig"];
  const std::optional<render::Excess> excess = render::excess_of_profiling(profiling);
  if (excess) {
    result_.too_much = {&arena_.make(TooMuch{&kProfiling, *excess}), 1};
    return;
  }
  result_.profiling =
      render::plain_resources(profiling["resources"], {.block = render::Block::kService}, arena_);
}

bool Rendering::fit(std::span<const Placed> pods, const api::FieldPath& whole) {
  std::size_t most = 0;
  for (const Placed& pod : pods) most += pod.written.most_entries();
  const bool count_all = most > render::kMostEntriesOfAll;
  std::size_t entries = 0;
  std::size_t excesses = 0;
  std::span<TooMuch> notes;
  for (const Placed& pod : pods) {
    if (!count_all && pod.written.surely_fits()) continue;
    const render::Measured measured = render::measure(pod.written);
    entries += measured.entries;
    if (!measured.excess) continue;
    if (notes.empty()) notes = arena_.make_array<TooMuch>(pods.size());
    notes[excesses++] = {pod.path, *measured.excess};
  }
  result_.too_much = notes.first(excesses);
  if (excesses > 0 || entries <= render::kMostEntriesOfAll) return excesses == 0;
  const render::Excess excess{{}, render::kMostEntriesOfAll, entries};
  result_.too_much = {&arena_.make(TooMuch{&whole, excess, true}), 1};
  return false;
}

void Rendering::add(const render::Component& component, const api::FieldPath& path,
                    render::ArenaList<RenderedPod>& pods) {
  const render::Component& kept = arena_.make(component);
  const render::Pod& pod =
      arena_.make(render::render_pod(kept, render::roles_of(kept).front(), arena_));
  pods.push({&kept, &pod, &path, result_.object});
}

}  // namespace dynamo::validators

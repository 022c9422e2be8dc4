#include "validators/rendering.hpp"

#include <utility>
#include <vector>

#include "render/origin.hpp"
#include "validators/sorted_members.hpp"

namespace dynamo::validators {
namespace {

// The definition allows 25; whoever sends more by another way does not get them rendered, so that
// the work stays bounded.
constexpr std::size_t kMostServices = 64;

constexpr api::FieldPath kSpec{"spec"};
constexpr api::FieldPath kServices = kSpec.child("services");
constexpr api::FieldPath kJob = kSpec.child("job");
constexpr api::FieldPath kJobPod = kJob.child("podTemplateSpec");

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
  const json::Value object = result_.object.value();
  if (context_.kind == api::Kind::kComponentDeployment) {
    if (!result_.object.spec().is_object()) return;
    render::ArenaList<RenderedPod> pods(arena_, 1);
    add(render::component_of(api::ComponentDeployment{object}, context_.namespace_name, profile_),
        kSpec, pods);
    result_.pods = pods.items();
    return;
  }
  if (context_.kind == api::Kind::kCheckpoint) return render_job();
  if (context_.kind == api::Kind::kGraphDeploymentRequest) {
    result_.profiling =
        render::plain_resources(result_.object.spec()["profilingConfig"]["resources"],
                                {.block = render::Block::kService}, arena_);
    return;
  }
  if (context_.kind != api::Kind::kGraphDeployment) return;
  const api::GraphDeployment graph{object};
  if (graph.services().size() > kMostServices) return;
  const std::span<const json::Member> services = sorted_members(graph.services(), arena_);
  render::ArenaList<RenderedPod> pods(arena_, services.size());
  for (const json::Member& service : services) {
    if (!service.value.is_object()) continue;  // said by the type rule
    add(render::component_of(graph, context_.namespace_name, service.name, service.value, profile_),
        arena_.make(kServices.key(service.name)), pods);
  }
  result_.pods = pods.items();
}

// Nothing runs in the job but what its template says.
void Rendering::render_job() {
  const json::Value job = api::Checkpoint{result_.object.value()}.job();
  const auto pod = render::render_template(job["podTemplateSpec"], arena_);
  if (!pod) return;
  const render::Component none{.profile = &profile_,
                               .in_graph = false,
                               .namespace_name = context_.namespace_name,
                               .object_name = context_.object_name};
  render::ArenaList<RenderedPod> pods(arena_, 1);
  pods.push({&arena_.make(none), &arena_.make(*pod), &kJobPod, result_.object});
  result_.pods = pods.items();
}

void Rendering::add(const render::Component& component, const api::FieldPath& path,
                    render::ArenaList<RenderedPod>& pods) {
  const render::Component& kept = arena_.make(component);
  const render::Pod& pod =
      arena_.make(render::render_pod(kept, render::roles_of(kept).front(), arena_));
  pods.push({&kept, &pod, &path, result_.object});
}

}  // namespace dynamo::validators

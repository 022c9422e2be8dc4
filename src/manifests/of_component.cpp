#include <algorithm>
#include <cstdint>
#include <utility>

#include "manifests/builders.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/pod_object.hpp"
#include "manifests/user_metadata.hpp"
#include "render/component/names.hpp"
#include "render/document/limits.hpp"

namespace dynamo::render {
namespace {

constexpr api::FieldPath kSpec{"spec"};
// More groups than any scheduler handles at once; a larger number is a typo.
constexpr std::int64_t kMaxGroups = 1000;
// The limit on all groups together: each contains the pod twice, and all are in memory at once.
constexpr std::size_t kMaxBytesOfGroups = std::size_t{32} << 20U;

// Appends desired objects until one is refused.
class ComponentObjects {
 public:
  ComponentObjects(const Component& component, const OwnerMetadata& owner,
                   const RenderEnvironment& environment, Arena& arena)
      : component_(component), owner_(owner), environment_(environment), arena_(arena) {}

  DesiredObjects run() {
    refuse(refusal_of_metadata(component_, kSpec, LabelTarget::kWorkload));
    if (objects_.refused) return std::move(objects_);
    if (workload_of(component_) == Workload::kLeaderWorkerSet) {
      add_groups();
    } else {
      add_deployments();
    }
    if (!objects_.refused) add_services();
    if (!objects_.refused) add_ways_in();
    return std::move(objects_);
  }

 private:
  void refuse(std::optional<RenderRefusal> refusal) { objects_.refused = std::move(refusal); }
  void add(DesiredObject desired) { objects_.items.push_back(std::move(desired)); }

  bool whole(const Component& component, PodRole role) {
    const Pod pod = render_pod(component, role, arena_);
    refuse(refusal_of(component, pod, kSpec, arena_));
    return !objects_.refused;
  }

  void add_deployments() {
    if (!whole(component_, PodRole::kMain)) return;
    add(build_deployment(component_, owner_, environment_, arena_));
    Component twin = component_;
    twin.debug_twin = true;
    if (!steals_traffic(component_)) {
      return add(unwanted_object("apps/v1", "Deployment", debug_name(component_).str()));
    }
    add(build_deployment(twin, owner_, environment_, arena_));
  }

  void add_groups() {
    const std::int64_t groups = component_.service.value()["replicas"].integer().value_or(1);
    if (groups > kMaxGroups) {
      return refuse(RenderRefusal{kSpec.child("replicas").render(),
                                  "must be at most " + std::to_string(kMaxGroups) +
                                      " for a service of several nodes; found " +
                                      std::to_string(groups)});
    }
    for (std::int64_t i = 0; i < groups; ++i) {
      add(build_pod_group(component_, i, owner_, arena_));
      for (const PodRole role : roles_of(component_)) {
        if (i == 0 && !whole(component_, role)) return;
      }
      if (i == 0) refuse(group_refusal_of(component_, kSpec, arena_));
      if (objects_.refused) return;
      add(build_leader_worker_set(component_, i, owner_, environment_, arena_));
      if (i == 0 && are_too_large(groups)) return;
    }
  }

  // Computed from the first group, because all have the same size.
  bool are_too_large(std::int64_t groups) {
    const std::size_t each = objects_.items.back().manifest.size();
    const std::size_t most = kMaxBytesOfGroups / each;
    if (std::cmp_less_equal(groups, most)) return false;
    refuse(RenderRefusal{kSpec.child("replicas").render(),
                         "must be at most " + std::to_string(most) + " for pods that take " +
                             std::to_string(each / 1024) + " KiB to describe; found " +
                             std::to_string(groups) + "; make the pod's description smaller"});
    return true;
  }

  void add_services() {
    if (component_.service.dynamo_namespace().empty()) {
      return refuse(RenderRefusal{kSpec.child("dynamoNamespace").render(),
                                  "must be set: the Services select by it"});
    }
    const std::span<const RenderedService> services = render_services(component_, arena_);
    const auto all_certain = std::ranges::all_of(services, &RenderedService::certain);
    if (!all_certain) {
      return refuse(
          RenderRefusal{kSpec.render(),
                        "must not depend on a setting of the operator that is not known; found "
                        "Services that depend on how components find each other"});
    }
    bool production = false;
    const Name production_name = production_service_name(component_);
    for (const RenderedService& service : services) {
      production = production || service.name == production_name;
    }
    bool model_only = false;
    for (const RenderedService& service : services) {
      if (service.headless && !production && !model_only) add_no_others();
      model_only = model_only || service.headless;
      add(build_service(component_, service, owner_, arena_));
    }
    if (!production && !model_only) add_no_others();
  }

  // Precede the model's Service, in the place of the other Services.
  void add_no_others() {
    add(unwanted_object("v1", "Service", production_service_name(component_).str()));
    add(unwanted_object("v1", "Service", debug_name(component_).str()));
  }

  void add_ways_in() {
    const RenderedIngress ingress = render_ingress(component_);
    if (!ingress.certain || !ingress.host_certain) {
      return refuse(RenderRefusal{kSpec.child("ingress").render(),
                                  "must not depend on a setting of the operator that is not known; "
                                  "found one that depends on its gateway or host suffix"});
    }
    add(build_ingress(component_, owner_, environment_, arena_));
    const auto& gateway = environment_.profile.virtual_service_gateway;
    if (gateway && !gateway->empty()) add(build_virtual_service(component_, owner_, arena_));
  }

  const Component& component_;
  const OwnerMetadata& owner_;
  const RenderEnvironment& environment_;
  Arena& arena_;
  DesiredObjects objects_;
};

}  // namespace

DesiredObjects desired_objects_of(const api::ComponentDeployment& component,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment) {
  Arena arena;
  const json::Value spec = component.spec();
  const PodSize measured = measure({.pod = spec["extraPodSpec"], .service = spec});
  if (measured.excess) {
    const OriginPath path(kSpec, measured.excess->origin);
    return {.refused =
                RenderRefusal{path.path().render(),
                              "must have at most " + std::to_string(measured.excess->limit) +
                                  " entries; found " + std::to_string(measured.excess->found)}};
  }
  const ResolvedComponent resolved = with_checkpoint(
      component_of(component, namespace_name, environment.profile), environment, kSpec, arena);
  if (resolved.refused) return {.refused = resolved.refused};
  const OwnerMetadata owner =
      owner_of(component, "DynamoComponentDeployment", resolved.component.object_name);
  return ComponentObjects(resolved.component, owner, environment, arena).run();
}

}  // namespace dynamo::render

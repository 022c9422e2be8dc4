#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/limits.hpp"
#include "json/sorted_members.hpp"
#include "manifests/builders.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/graph_objects.hpp"
#include "manifests/pod_object.hpp"
#include "manifests/secret.hpp"
#include "manifests/user_metadata.hpp"
#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "render/document/limits.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/volumes.hpp"

namespace dynamo::render {
namespace {

constexpr api::FieldPath kSpec{"spec"};
constexpr api::FieldPath kServices = kSpec.child("services");

// Appends desired objects, step by step, until one is refused.
class GraphObjects {
 public:
  GraphObjects(const api::GraphDeployment& graph, std::string_view namespace_name,
               const RenderEnvironment& environment)
      : graph_(graph),
        namespace_(namespace_name),
        name_(graph.metadata().name()),
        owner_(owner_of(graph, "DynamoGraphDeployment", name_)),
        environment_(environment) {
    const json::Value services = graph.services();
    for (const json::Member& service : json::sorted_members(services)) {
      if (!service.value.is_object()) continue;
      components_.push_back(
          component_of(graph, namespace_name, service.name, service.value, environment.profile));
    }
  }

  DesiredObjects run() {
    for (const auto step :
         {&GraphObjects::check_sizes, &GraphObjects::add_accounts, &GraphObjects::add_claims,
          &GraphObjects::add_checkpoints, &GraphObjects::add_adapters, &GraphObjects::add_discovery,
          &GraphObjects::add_picker, &GraphObjects::add_secret, &GraphObjects::add_workloads}) {
      (this->*step)();
      if (objects_.refused) break;
    }
    return std::move(objects_);
  }

 private:
  void add(DesiredObject desired) { objects_.items.push_back(std::move(desired)); }
  void add_all(DesiredObjects objects) {
    for (DesiredObject& each : objects.items) add(std::move(each));
    objects_.refused = std::move(objects.refused);
  }
  void refuse(std::string path, std::string reason) {
    objects_.refused = RenderRefusal{std::move(path), std::move(reason)};
  }
  const Component* picker() const {
    const auto found =
        std::ranges::find(components_, ComponentType::kEndpointPicker, &Component::type);
    return found == components_.end() ? nullptr : &*found;
  }

  void check_sizes() {
    if (components_.size() > api::kMaxServices) {
      return refuse(kServices.render(), "must have at most " + std::to_string(api::kMaxServices) +
                                            " services; found " +
                                            std::to_string(components_.size()));
    }
    for (const Component& component : components_) {
      const PodSize measured = measure({.pod = component.pod(),
                                        .service = component.service.value(),
                                        .graph_envs = component.graph_envs});
      if (!measured.excess) continue;
      const api::FieldPath service = kServices.key(component.service_name);
      const OriginPath path(service, measured.excess->origin);
      return refuse(path.path().render(),
                    "must have at most " + std::to_string(measured.excess->limit) +
                        " entries; found " + std::to_string(measured.excess->found));
    }
  }

  void add_accounts() { add_all(account_objects(namespace_, picker() != nullptr, environment_)); }

  void add_claims() { add_all(claim_objects(graph_, namespace_, owner_)); }

  void add_checkpoints() {
    std::vector<std::string_view> added;  // services with one identity share a checkpoint
    for (const Component& component : components_) {
      if (!requests_checkpoint(component)) continue;
      const std::string_view hash = arena_.join(
          {checkpoint_identity_hash(component.service.value()["checkpoint"]["identity"]).view()});
      const auto has_hash = [hash](const ObservedCheckpoint& found) {
        return found.labelled_hash == hash;
      };
      if (std::ranges::any_of(environment_.checkpoints, has_hash)) continue;
      if (std::ranges::find(added, hash) != added.end()) continue;
      added.push_back(hash);
      const Component job = checkpoint_component(component);
      const api::FieldPath path = kServices.key(component.service_name);
      objects_.refused =
          refusal_of(job, render_pod(job, PodRole::kCheckpoint, arena_), path, arena_);
      if (objects_.refused) return;
      add(build_checkpoint(component, job, hash, environment_, arena_));
    }
  }

  // Names of services may differ only in case; then one of the services gets the adapter with that
  // name.
  void add_adapters() {
    std::vector<DesiredObject> all;
    all.reserve(components_.size());
    for (const Component& component : components_) {
      all.push_back(build_scaling_adapter(component, owner_, arena_));
    }
    const auto another_has = [&all](const DesiredObject& unwanted) {
      return std::ranges::any_of(all, [&unwanted](const DesiredObject& each) {
        return each.wanted && each.name == unwanted.name;
      });
    };
    for (const DesiredObject& each : all) {
      if (each.wanted || !another_has(each)) add(each);
    }
  }

  // The graph's annotation for all services, otherwise the operator's setting.
  void add_discovery() {
    const json::Value configured = graph_.metadata().annotations()[annotation::kDiscoveryBackend];
    if (!configured.is_string() && environment_.profile.discovery == DiscoveryBackend::kUnknown) {
      return refuse(kSpec.render(),
                    "must not depend on a setting of the operator that is not known; found how "
                    "services discover each other");
    }
    const bool through_kubernetes =
        configured.is_string() ? configured.string_or_empty() == "kubernetes"
                               : environment_.profile.discovery == DiscoveryBackend::kKubernetes;
    // A service with its own annotation uses the account, too (Q31).
    const bool any_service = std::ranges::any_of(components_, [](const Component& component) {
      return discovery_of(component) == DiscoveryBackend::kKubernetes;
    });
    if (!through_kubernetes && !any_service) return;
    add_all(discovery_objects(name_, namespace_, owner_));
  }

  void add_picker() {
    const Component* const found = picker();
    if (found == nullptr) return;
    add_all(picker_objects(*found, kServices.key(found->service_name), owner_));
  }

  void add_secret() {
    const json::Value source = environment_.mpi_secret_source;
    const auto mounts_it = [](const Component& component) { return needs_mpi_secret(component); };
    if (!source.exists() || std::ranges::none_of(components_, mounts_it)) return;
    add(environment_.mpi_secret_is_generated ? build_generated_secret(source, namespace_)
                                             : build_secret_copy(source, namespace_));
  }

  static bool add_if_new(const Name& name, std::vector<std::string>& names) {
    std::string text = name.str();
    const auto at = std::ranges::lower_bound(names, text);
    if (at != names.end() && *at == text) return false;
    names.insert(at, std::move(text));
    return true;
  }

  bool is_run_by_grove() const {
    return std::ranges::any_of(components_, [](const Component& component) {
      const Workload workload = workload_of(component);
      return workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
    });
  }

  void add_workloads() { is_run_by_grove() ? add_clique_set() : add_components(); }

  // Grove runs all services by one object, so one that is refused refuses it.
  void add_clique_set() {
    std::vector<std::string> names;
    for (Component& component : components_) {
      const api::FieldPath path = kServices.key(component.service_name);
      if (!add_if_new(clique_name(component, PodRole::kMain), names)) {
        return refuse(path.render(),
                      "must have a name of its own: Grove gets all names in lower case");
      }
      ResolvedComponent resolved = with_checkpoint(component, environment_, path, arena_);
      component = resolved.component;
      objects_.refused = std::move(resolved.refused);
      if (!objects_.refused) objects_.refused = clique_refusal_of(component, path, arena_);
      if (!objects_.refused) objects_.refused = refusal_of_access(component, path);
      if (objects_.refused) return;
    }
    add(build_pod_clique_set(components_, owner_, environment_, arena_));
    add_services(true);
    add_services(false);
    for (const Component& component : components_) {
      if (component.type == ComponentType::kFrontend) add_external_access(component);
    }
  }

  std::optional<RenderRefusal> refusal_of_access(const Component& component,
                                                 const api::FieldPath& path) {
    const std::span<const RenderedService> services = render_services(component, arena_);
    const bool services_known = std::ranges::all_of(services, &RenderedService::certain);
    const RenderedIngress ingress = render_ingress(component);
    const bool ingress_known =
        component.type != ComponentType::kFrontend || (ingress.certain && ingress.host_certain);
    if (services_known && ingress_known) return std::nullopt;
    return RenderRefusal{services_known ? path.child("ingress").render() : path.render(),
                         "must not depend on a setting of the operator that is not known"};
  }

  // Models precede the other Services; services with the same model share its Service.
  void add_services(bool of_models) {
    std::vector<std::string> added;
    for (const Component& component : components_) {
      for (const RenderedService& service : render_services(component, arena_)) {
        if (service.headless != of_models || !add_if_new(service.name, added)) continue;
        add(build_service(component, service, owner_, arena_));
      }
    }
  }

  void add_external_access(const Component& component) {
    add(build_ingress(component, owner_, environment_, arena_));
    const auto& gateway = environment_.profile.virtual_service_gateway;
    if (gateway && !gateway->empty()) add(build_virtual_service(component, owner_, arena_));
  }

  void add_components() {
    for (const Component& component : components_) {
      const api::FieldPath path = kServices.key(component.service_name);
      objects_.refused = refusal_of_workload(component, path);
      if (!objects_.refused) objects_.refused = refusal_of(component, path);
      if (!objects_.refused) {
        objects_.refused = refusal_of_metadata(component, path, LabelTarget::kComponent);
      }
      if (objects_.refused) return;
    }
    for (const Component& component : components_) {
      add(build_component(component, owner_, environment_, arena_));
    }
  }

  std::optional<RenderRefusal> refusal_of_workload(const Component& component,
                                                   const api::FieldPath& path) const {
    switch (workload_of(component)) {
      case Workload::kDeployment:
      case Workload::kLeaderWorkerSet:
        return std::nullopt;
      case Workload::kNone:
        return RenderRefusal{
            path.child("multinode").render(),
            "must be left out where the cluster has neither Grove nor LeaderWorkerSets"};
      case Workload::kPodClique:
      case Workload::kPodCliqueScalingGroup:
      case Workload::kUnknown:
        break;
    }
    return RenderRefusal{path.render(), "must not depend on what is not known of the cluster"};
  }

  const api::GraphDeployment& graph_;
  const std::string_view namespace_;
  const std::string_view name_;
  const OwnerMetadata owner_;
  const RenderEnvironment& environment_;
  Arena arena_;
  std::vector<Component> components_;
  DesiredObjects objects_;
};

}  // namespace

DesiredObjects desired_objects_of(const api::GraphDeployment& graph,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment) {
  return GraphObjects(graph, namespace_name, environment).run();
}

}  // namespace dynamo::render

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/limits.hpp"
#include "manifests/builders.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/graph_objects.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/secret.hpp"
#include "render/component/experimental.hpp"
#include "render/component/names.hpp"
#include "render/document/limits.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/volumes.hpp"
#include "text/quoted.hpp"

namespace dynamo::render {
namespace {

constexpr api::FieldPath kHubSpec{"spec"};
constexpr api::FieldPath kHubServices = kHubSpec.child("services");
constexpr api::FieldPath kMetadata{"metadata"};
constexpr api::FieldPath kAnnotations = kMetadata.child("annotations");
constexpr std::string_view kUnknownSetting =
    "must not depend on a setting of the operator or the cluster that is not known";

// Appends the objects of one component: its workload, its Service, and its Ingress.
class HubComponentObjects {
 public:
  HubComponentObjects(const HubComponent& of, const OwnerMetadata& owner,
                      const RenderEnvironment& environment, Arena& arena)
      : of_(of), owner_(owner), environment_(environment), arena_(arena) {}

  DesiredObjects run(const api::FieldPath& path) {
    switch (workload_of(of_.component)) {
      case Workload::kDeployment:
      case Workload::kLeaderWorkerSet:
        break;
      case Workload::kNone:
        return refused(path.child("multinode"),
                       "must be left out where the cluster has neither Grove nor "
                       "LeaderWorkerSets");
      case Workload::kPodClique:
      case Workload::kPodCliqueScalingGroup:
      case Workload::kUnknown:
        return refused(path, kUnknownSetting);
    }
    if (auto reason = hub_refusal_of(of_, path, arena_)) return {.refused = std::move(reason)};
    const bool is_group = workload_of(of_.component) == Workload::kLeaderWorkerSet;
    add(is_group ? build_hub_group(of_, owner_, environment_, arena_)
                 : build_hub_deployment(of_, owner_, environment_, arena_));
    add_access();
    return std::move(objects_);
  }

  // The Service, for a frontend the Ingress and VirtualService, and for an endpoint picker the
  // DestinationRule.
  void add_access() {
    if (auto service = build_hub_service(of_, owner_, arena_)) add(*std::move(service));
    for (const RenderedService& service : render_services(of_.component, arena_)) {
      if (service.headless) add(build_service(of_.component, service, owner_, arena_));
    }
    add(build_ingress(of_.component, owner_, environment_, arena_));
    const auto& gateway = environment_.profile.virtual_service_gateway;
    if (gateway && !gateway->empty()) add(build_virtual_service(of_.component, owner_, arena_));
    if (of_.component.type == ComponentType::kEndpointPicker &&
        environment_.picker_tls != PickerTls::kNoRule) {
      add(build_destination_rule(of_.component, owner_, environment_, arena_));
    }
  }

  DesiredObjects take() { return std::move(objects_); }

 private:
  void add(DesiredObject desired) { objects_.items.push_back(std::move(desired)); }
  static DesiredObjects refused(const api::FieldPath& path, std::string_view reason) {
    return {.refused = RenderRefusal{path.render(), std::string(reason)}};
  }

  const HubComponent& of_;
  const OwnerMetadata& owner_;
  const RenderEnvironment& environment_;
  Arena& arena_;
  DesiredObjects objects_;
};

OwnerMetadata hub_owner(const api::Object& object, std::string_view kind, std::string_view name) {
  OwnerMetadata owner = owner_of(object, kind, name);
  owner.api_version = kHubApiVersion;
  return owner;
}

// Appends desired objects, step by step, until one is refused.
class HubGraphObjects {
 public:
  HubGraphObjects(const api::GraphDeployment& graph, const api::GraphDeployment& alpha,
                  std::string_view namespace_name, const RenderEnvironment& environment)
      : graph_(graph),
        alpha_(alpha),
        namespace_(namespace_name),
        name_(graph.metadata().name()),
        uid_(graph.value()["metadata"]["uid"].string_or_empty()),
        owner_(hub_owner(graph, "DynamoGraphDeployment", name_)),
        environment_(environment) {
    for (const json::Value component : graph.spec()["components"].elements()) {
      const std::string_view name = component["name"].string_or_empty();
      components_.push_back(
          {.component = hub_component_of(graph, namespace_name, component, alpha.services()[name],
                                         environment.profile),
           .graph_spec = graph.spec()});
    }
    const bool has_picker = picker() != nullptr;
    const std::string_view framework = framework_of_graph();
    for (HubComponent& each : components_) {
      each.graph_has_picker = has_picker;
      each.framework = framework;
      if (!is_run_by_grove(each.component)) each.component.backend_framework = framework;
      find_checkpoint(each, uid_, environment_, arena_);
    }
  }

  DesiredObjects run() {
    for (const auto step : {&HubGraphObjects::check_sizes, &HubGraphObjects::add_accounts,
                            &HubGraphObjects::add_claims, &HubGraphObjects::add_discovery,
                            &HubGraphObjects::add_gpu_claims, &HubGraphObjects::add_checkpoints,
                            &HubGraphObjects::add_picker, &HubGraphObjects::add_wait_script,
                            &HubGraphObjects::add_secret, &HubGraphObjects::add_workloads,
                            &HubGraphObjects::add_adapters}) {
      if (objects_.refused) break;
      (this->*step)();
    }
    return std::move(objects_);
  }

 private:
  void add(DesiredObject desired) { objects_.items.push_back(std::move(desired)); }
  void refuse(std::string path, std::string reason) {
    objects_.refused = RenderRefusal{std::move(path), std::move(reason)};
  }
  // Appends the objects, and returns whether none is refused.
  bool add_all(DesiredObjects objects) {
    for (DesiredObject& each : objects.items) add(std::move(each));
    objects_.refused = std::move(objects.refused);
    return !objects_.refused;
  }
  const Component* picker() const {
    const auto found = std::ranges::find_if(components_, [](const HubComponent& each) {
      return each.component.type == ComponentType::kEndpointPicker;
    });
    return found == components_.end() ? nullptr : &found->component;
  }
  static api::FieldPath path_of(const Component& component) {
    return kHubServices.key(component.service_name);
  }

  // The declared framework, or the one that all workers run.
  std::string_view framework_of_graph() {
    if (!graph_.backend_framework().empty()) return graph_.backend_framework();
    Framework common = Framework::kNoop;
    for (const HubComponent& each : components_) {
      const Framework detected = backend_of(each.component).framework;
      if (detected == Framework::kNoop) continue;
      const bool is_other = common != Framework::kNoop && detected != common;
      if (is_other && !is_run_by_grove(each.component)) {
        refuse(kHubSpec.child("backendFramework").render(),
               "must be set, and all workers must run that engine; found " +
                   std::string(framework_name(common)) + " and " +
                   std::string(framework_name(detected)));
      }
      common = detected;
    }
    return common == Framework::kNoop ? std::string_view{} : framework_name(common);
  }

  void check_sizes() {
    if (components_.size() > api::kMaxServices) {
      return refuse(kHubServices.render(),
                    "must have at most " + std::to_string(api::kMaxServices) +
                        " components; found " + std::to_string(components_.size()));
    }
    for (const HubComponent& each : components_) {
      const Component& component = each.component;
      const PodSize measured = measure(
          {.pod = component.pod(), .service = component.hub, .graph_envs = component.graph_envs});
      if (!measured.excess) continue;
      const api::FieldPath service = path_of(component);
      const OriginPath path(service, measured.excess->origin);
      return refuse(path.path().render(),
                    "must have at most " + std::to_string(measured.excess->limit) +
                        " entries; found " + std::to_string(measured.excess->found));
    }
  }

  void add_accounts() { add_all(account_objects(namespace_, picker() != nullptr, environment_)); }

  // v1beta1 has no claims, but keeps those of v1alpha1.
  void add_claims() { add_all(claim_objects(alpha_, namespace_, owner_)); }

  void add_discovery() {
    const bool any = std::ranges::any_of(components_, [](const HubComponent& each) {
      return discovery_of(each.component) == DiscoveryBackend::kKubernetes;
    });
    if (!any && environment_.profile.discovery != DiscoveryBackend::kKubernetes) return;
    add_all(discovery_objects(name_, namespace_, owner_));
  }

  void add_picker() {
    const Component* const found = picker();
    if (found != nullptr) add_all(picker_objects(*found, path_of(*found), owner_));
  }

  void add_gpu_claims() {
    for (const HubComponent& each : components_) {
      if (memory_service_of(each.component) == EngineSharing::kNone) continue;
      objects_.refused = refusal_of_features(each, path_of(each.component));
      if (objects_.refused) return;
      add(build_gpu_claim_template(each.component, owner_, arena_));
    }
  }

  void add_checkpoints() {
    for (const HubComponent& each : components_) {
      objects_.refused = refusal_of_checkpoint(each, path_of(each.component));
      if (objects_.refused) return;
      if (!has_own_checkpoint(each.component)) continue;
      add(build_hub_checkpoint(each, uid_, owner_, environment_, arena_));
    }
  }

  void add_wait_script() {
    const auto several = std::ranges::find_if(
        components_, [](const HubComponent& each) { return each.component.is_multinode(); });
    if (several != components_.end()) add(build_wait_script(several->component, owner_, arena_));
  }

  void add_secret() {
    const json::Value source = environment_.mpi_secret_source;
    const auto mounts_it = [](const HubComponent& each) {
      return needs_mpi_secret(each.component);
    };
    if (!source.exists() || std::ranges::none_of(components_, mounts_it)) return;
    add(environment_.mpi_secret_is_generated ? build_generated_secret(source, namespace_)
                                             : build_secret_copy(source, namespace_));
  }

  void add_workloads() {
    const bool by_grove = std::ranges::any_of(
        components_, [](const HubComponent& each) { return is_run_by_grove(each.component); });
    by_grove ? add_clique_set() : add_components();
  }

  void add_clique_set() {
    const std::string_view strategy =
        graph_.metadata().annotations()[annotation::kUpdateStrategy].string_or_empty();
    if (!strategy.empty() && strategy != "RollingRecreate" && strategy != "OnDelete") {
      constexpr std::size_t kMaxQuoted = 80;
      return refuse(
          kAnnotations.key(annotation::kUpdateStrategy).render(),
          "must be RollingRecreate or OnDelete; found " + text::quoted(strategy, kMaxQuoted));
    }
    for (const HubComponent& each : components_) {
      objects_.refused = hub_refusal_of(each, path_of(each.component), arena_);
      if (objects_.refused) return;
    }
    add(build_hub_clique_set(components_, graph_, owner_, environment_, arena_));
    for (const HubComponent& each : components_) {
      HubComponentObjects access(each, owner_, environment_, arena_);
      access.add_access();
      if (has_ray_service(each.component, arena_)) {
        add(build_ray_service(each.component, owner_, arena_));
      }
      if (!add_all(access.take())) return;
    }
  }

  void add_components() {
    for (HubComponent& each : components_) {
      each.deployment = component_name(each.component).in(arena_);
      const api::FieldPath path = path_of(each.component);
      add(build_hub_component(each, owner_, environment_, arena_));
      const OwnerMetadata owner{.kind = "DynamoComponentDeployment",
                                .name = each.deployment,
                                .api_version = kHubApiVersion};
      if (!add_all(HubComponentObjects(each, owner, environment_, arena_).run(path))) return;
    }
  }

  void add_adapters() {
    for (const HubComponent& each : components_) {
      if (!each.component.hub["scalingAdapter"].is_object()) continue;
      add(build_hub_adapter(each, owner_, arena_));
    }
  }

  const api::GraphDeployment& graph_;
  const api::GraphDeployment& alpha_;
  const std::string_view namespace_;
  const std::string_view name_;
  const std::string_view uid_;
  const OwnerMetadata owner_;
  const RenderEnvironment& environment_;
  Arena arena_;
  std::vector<HubComponent> components_;
  DesiredObjects objects_;
};

}  // namespace

DesiredObjects hub_objects_of(const api::GraphDeployment& graph, const api::GraphDeployment& alpha,
                              std::string_view namespace_name,
                              const RenderEnvironment& environment) {
  return HubGraphObjects(graph, alpha, namespace_name, environment).run();
}

DesiredObjects hub_objects_of(const api::ComponentDeployment& component,
                              const api::ComponentDeployment& alpha,
                              std::string_view namespace_name,
                              const RenderEnvironment& environment) {
  Arena arena;
  HubComponent of{
      .component = hub_component_of(component, namespace_name, alpha.spec(), environment.profile)};
  of.deployment = of.component.object_name;
  find_checkpoint(of, {}, environment, arena);
  const PodSize measured = measure({.pod = of.component.pod(), .service = of.component.hub});
  if (measured.excess) {
    const OriginPath path(kHubSpec, measured.excess->origin);
    return {.refused =
                RenderRefusal{path.path().render(),
                              "must have at most " + std::to_string(measured.excess->limit) +
                                  " entries; found " + std::to_string(measured.excess->found)}};
  }
  const OwnerMetadata owner =
      hub_owner(component, "DynamoComponentDeployment", of.component.object_name);
  return HubComponentObjects(of, owner, environment, arena).run(kHubSpec);
}

}  // namespace dynamo::render

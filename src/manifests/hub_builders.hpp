// Builders of the objects that later operators create from v1beta1 (docs/adr/0037). They read
// components of hub_component_of(), and share everything else with builders.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"
#include "render/component/services.hpp"
#include "render/document/arena.hpp"

namespace dynamo::render {

inline constexpr std::string_view kHubApiVersion = "nvidia.com/v1beta1";

// A component with what it takes from its graph; for one without a graph, `graph_spec` is absent.
struct HubComponent {
  Component component;
  json::Value graph_spec = {};       // in v1beta1
  bool graph_has_picker = false;     // workers then have a label by which it selects them
  std::string_view framework = {};   // of the graph, or the one that its workers run
  std::string_view deployment = {};  // the name of the DynamoComponentDeployment
};

bool is_run_by_grove(const Component& component);

// --- Labels and annotations, sorted by key.

// Labels of the DynamoComponentDeployment.
std::vector<Label> hub_component_labels(const HubComponent& of, Arena& arena);
// Labels of the Deployment, without those of its pods alone.
std::vector<Label> hub_workload_labels(const HubComponent& of, Arena& arena);
// Labels of the pods outside Grove. The operator's own values win.
std::vector<Label> hub_pod_labels(const HubComponent& of, PodRole role, Arena& arena);
// Annotations of the Deployment, and of its pods.
std::vector<Label> hub_annotations(const HubComponent& of);
// Labels of the Service.
std::vector<Label> hub_service_labels(const HubComponent& of, Arena& arena);
// Labels and annotations of a clique.
std::vector<Label> hub_clique_labels(const HubComponent& of, Arena& arena);
std::vector<Label> hub_clique_annotations(const HubComponent& of,
                                          const RenderEnvironment& environment);

// --- Objects of a component.

// The component with what it takes from its graph.
DesiredObject build_hub_component(const HubComponent& of, const OwnerMetadata& owner,
                                  const RenderEnvironment& environment, Arena& arena);
DesiredObject build_hub_deployment(const HubComponent& of, const OwnerMetadata& owner,
                                   const RenderEnvironment& environment, Arena& arena);
// One for all replicas.
DesiredObject build_hub_group(const HubComponent& of, const OwnerMetadata& owner,
                              const RenderEnvironment& environment, Arena& arena);
// The component's own Service; nullopt if it has none.
std::optional<DesiredObject> build_hub_service(const HubComponent& of, const OwnerMetadata& owner,
                                               Arena& arena);
// The adapter of a component that asks for one.
DesiredObject build_hub_adapter(const HubComponent& of, const OwnerMetadata& owner, Arena& arena);

// Why the pods of the component cannot be rendered; `path` is that of the component.
std::optional<RenderRefusal> hub_refusal_of(const HubComponent& of, const api::FieldPath& path,
                                            Arena& arena);

// --- Grove's PodCliqueSet of a graph.

// The longest names that Grove joins with that of the set decide how long that may be.
std::string hub_clique_set_name(std::string_view graph, std::span<const HubComponent> components);
// Precondition: hub_refusal_of() returned nullopt for each of the components, at least one.
DesiredObject build_hub_clique_set(std::span<const HubComponent> components,
                                   const api::GraphDeployment& graph, const OwnerMetadata& owner,
                                   const RenderEnvironment& environment, Arena& arena);

}  // namespace dynamo::render

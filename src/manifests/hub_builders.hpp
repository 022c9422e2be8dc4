// Builders of the objects that later operators create from v1beta1 (docs/adr/0037). They read
// components of hub_component_of(), and share everything else with builders.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"
#include "render/component/services.hpp"
#include "render/document/arena.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {

inline constexpr std::string_view kHubApiVersion = "nvidia.com/v1beta1";

// A component with what it takes from its graph; for one without a graph, `graph_spec` is absent.
struct HubComponent {
  Component component;
  json::Value graph_spec = {};       // in v1beta1
  bool graph_has_picker = false;     // workers then have a label by which it selects them
  std::string_view framework = {};   // of the graph, or the one that its workers run
  std::string_view deployment = {};  // the name of the DynamoComponentDeployment
  std::string_view checkpoint = {};  // the name of its DynamoCheckpoint; "" for none
  bool checkpoint_exists = false;    // in the namespace
  bool is_gated = false;             // no pod starts before the checkpoint is ready
};

bool is_run_by_grove(const Component& component);

// The annotations of a graph's metadata that pod templates get unless they have their own.
inline constexpr std::array kInheritedAnnotations = {
    annotation::kEnableMetrics, annotation::kDiscoveryBackend, annotation::kDiscoveryMode,
    annotation::kOriginVersion, annotation::kVllmBackend};

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
// How clients with a proxy of Istio reach the Service of an endpoint picker. Precondition:
// environment.picker_tls is not kNoRule.
DesiredObject build_destination_rule(const Component& picker, const OwnerMetadata& owner,
                                     const RenderEnvironment& environment, Arena& arena);
// The adapter of a component that asks for one.
DesiredObject build_hub_adapter(const HubComponent& of, const OwnerMetadata& owner, Arena& arena);

// Why the pods of the component cannot be rendered; `path` is that of the component.
std::optional<RenderRefusal> hub_refusal_of(const HubComponent& of, const api::FieldPath& path,
                                            Arena& arena);

// Why the pod template, or the compilation cache next to it, cannot be rendered. Part of
// hub_refusal_of().
std::optional<RenderRefusal> refusal_of_template(const Component& component,
                                                 const api::FieldPath& path);

// --- Experimental features.

// Why the objects of the component's features cannot be rendered.
std::optional<RenderRefusal> refusal_of_features(const HubComponent& of,
                                                 const api::FieldPath& path);
// The spec of a template of claims on as many GPUs as the component has.
void write_gpu_claim(json::Writer& out, const Component& component, std::string_view request);
// The template for a component with a GPU memory service.
DesiredObject build_gpu_claim_template(const Component& component, const OwnerMetadata& owner,
                                       Arena& arena);
// The ConfigMap of a graph with the script that lets workers wait for their leader. `component` is
// any of the graph.
DesiredObject build_wait_script(const Component& component, const OwnerMetadata& owner,
                                Arena& arena);
// The headless Service of a component that starts Ray on one node; only Grove's have one.
bool has_ray_service(const Component& component, Arena& arena);
DesiredObject build_ray_service(const Component& component, const OwnerMetadata& owner,
                                Arena& arena);
// A name that is too long ends with a short hash of the whole name.
std::string shortened_name(std::string_view whole, std::size_t most);
// The labels by which the component's Service selects its pods.
std::vector<Label> hub_service_selector(const Component& component, Arena& arena);
// Replaces the annotations by which a controller copies the topology of nodes to pods.
void set_topology_source(const Component& component, std::vector<Label>& annotations);

// Finds the checkpoint of the component among those of the namespace. `graph_uid` is "" for a graph
// that is not stored.
void find_checkpoint(HubComponent& of, std::string_view graph_uid,
                     const RenderEnvironment& environment, Arena& arena);
std::optional<RenderRefusal> refusal_of_checkpoint(const HubComponent& of,
                                                   const api::FieldPath& path);
// Whether its graph creates the checkpoint. Precondition of the builder.
bool has_own_checkpoint(const Component& component);
DesiredObject build_hub_checkpoint(const HubComponent& of, std::string_view graph_uid,
                                   const OwnerMetadata& owner, const RenderEnvironment& environment,
                                   Arena& arena);
// The operator's own labels and annotations of pods; the users' are dropped.
void set_checkpoint_labels(const HubComponent& of, std::vector<Label>& labels);
void set_checkpoint_annotations(const HubComponent& of, std::vector<Label>& annotations);

// --- Grove's PodCliqueSet of a graph.

// The longest names that Grove joins with that of the set decide how long that may be.
std::string hub_clique_set_name(std::string_view graph, std::span<const HubComponent> components);
// Precondition: hub_refusal_of() returned nullopt for each of the components, at least one.
DesiredObject build_hub_clique_set(std::span<const HubComponent> components,
                                   const api::GraphDeployment& graph, const OwnerMetadata& owner,
                                   const RenderEnvironment& environment, Arena& arena);

}  // namespace dynamo::render

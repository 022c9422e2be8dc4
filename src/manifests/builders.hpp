// Builders of the objects of graphs and components, one source per kind of object.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/claims.hpp"
#include "render/component/component.hpp"
#include "render/component/services.hpp"

namespace dynamo::render {

// --- The DynamoComponentDeployment of a service of a graph.

// Why no component can be created from the service; `path` is spec.services[NAME].
std::optional<RenderRefusal> refusal_of(const Component& component, const api::FieldPath& path);

// The service as written, with the graph's settings for all services. Precondition: refusal_of()
// returned nullopt.
DesiredObject build_component(const Component& component, const OwnerMetadata& owner,
                              const RenderEnvironment& environment, Arena& arena);

// --- The DynamoCheckpoint that a service requests and that does not exist yet.

// Whether the service of a graph requests one: mode Auto, an identity, no reference.
bool requests_checkpoint(const Component& component);

// `component` as its checkpoint job runs it: on one node, otherwise unchanged.
Component checkpoint_component(const Component& component);

// Has no owner, because every service with the same identity uses it. `hash` is that of the
// identity; `job` is the result of checkpoint_component().
DesiredObject build_checkpoint(const Component& component, const Component& job,
                               std::string_view hash, const RenderEnvironment& environment,
                               Arena& arena);

// --- The DynamoGraphDeploymentScalingAdapter of a service of a graph.

// Unwanted if the service does not enable it.
DesiredObject build_scaling_adapter(const Component& component, const OwnerMetadata& owner,
                                    Arena& arena);

// --- A claim that a graph requests.

std::optional<RenderRefusal> refusal_of(const Claim& claim);

// The claim is not changed after its creation. Precondition: refusal_of() returned nullopt.
DesiredObject build_claim(const Claim& claim, std::string_view namespace_name,
                          const OwnerMetadata& owner);

// --- The configuration of an endpoint picker.

inline constexpr std::string_view kPickerConfigApiVersion =
    "inference.networking.x-k8s.io/v1alpha1";
inline constexpr std::string_view kPickerConfigKind = "EndpointPickerConfig";

// The labels of the ConfigMap and InferencePool of an endpoint picker; the component must outlive
// them.
std::vector<Label> picker_labels(const Component& picker);

// From eppConfig.config. Precondition: it is an object.
DesiredObject build_picker_config(const Component& picker, const OwnerMetadata& owner);

// --- The InferencePool: the frontends from which an endpoint picker chooses.

DesiredObject build_inference_pool(const Component& picker, const OwnerMetadata& owner,
                                   Arena& arena);

// --- The Deployment of a component, and its twin for debugging.

// If component.debug_twin is set, the twin. Precondition: refusal_of() returned nullopt for the pod
// of PodRole::kMain.
DesiredObject build_deployment(const Component& component, const OwnerMetadata& owner,
                               const RenderEnvironment& environment, Arena& arena);

// --- The node groups of a multinode component, one per replica: a LeaderWorkerSet, and Volcano's
// PodGroup, which starts all of the pods or none.

// `replica` counts from 0.
DesiredObject build_pod_group(const Component& component, std::int64_t replica,
                              const OwnerMetadata& owner, Arena& arena);

// The missing requirements of a group, beyond those of every pod.
std::optional<RenderRefusal> group_refusal_of(const Component& component,
                                              const api::FieldPath& path, Arena& arena);

// Precondition: neither its pods nor the group are refused.
DesiredObject build_leader_worker_set(const Component& component, std::int64_t replica,
                                      const OwnerMetadata& owner,
                                      const RenderEnvironment& environment, Arena& arena);

// --- Grove's PodCliqueSet of a graph: a clique per service, or two and a scaling group for a
// service of several nodes.

inline constexpr std::string_view kGroveApiVersion = "grove.io/v1alpha1";
inline constexpr std::string_view kPodCliqueSetKind = "PodCliqueSet";

// Why no clique can be created from the service; `path` is spec.services[NAME].
std::optional<RenderRefusal> clique_refusal_of(const Component& component,
                                               const api::FieldPath& path, Arena& arena);

// Has the name of the graph, its owner. `components` are the services in the order of their names,
// at least one. Precondition: clique_refusal_of() returned nullopt for each.
DesiredObject build_pod_clique_set(std::span<const Component> components,
                                   const OwnerMetadata& owner, const RenderEnvironment& environment,
                                   Arena& arena);

// Opens the template of a PodCliqueSet and writes its first fields. If some cliques start after
// others, it is ordered.
void start_clique_set_template(json::Writer& out, bool is_ordered,
                               const RenderEnvironment& environment);

// As Go writes a duration: "15m0s", "1h30m0s", "500ms".
std::string go_duration(std::chrono::milliseconds duration);

// --- The Services of a component's pods and of a model.

// The Service for an item of render_services(), which provides name, port and selector. With Grove,
// the endpoint picker's port declares HTTP/2.
DesiredObject build_service(const Component& component, const RenderedService& service,
                            const OwnerMetadata& owner, Arena& arena);

// --- The Ingress for external access.

// Unwanted if the component has none.
DesiredObject build_ingress(const Component& component, const OwnerMetadata& owner,
                            const RenderEnvironment& environment, Arena& arena);

// --- The Istio VirtualService for external access.

// Unwanted if the component has none. Call it only for an operator with a configured gateway.
DesiredObject build_virtual_service(const Component& component, const OwnerMetadata& owner,
                                    Arena& arena);

// --- The permissions of pods that discover each other through the API server.

DesiredObject build_discovery_role(std::string_view graph, std::string_view namespace_name,
                                   const OwnerMetadata& owner);

// --- Grants an account the permissions of a Role or ClusterRole.

struct Binding {
  std::string_view name = {};
  std::string_view account = {};    // in the same namespace
  std::string_view role_kind = {};  // "Role" or "ClusterRole"
  std::string_view role = {};
};

// Without an owner only its subjects are kept up to date; a binding to another role is deleted and
// recreated.
DesiredObject build_role_binding(const Binding& binding, std::string_view namespace_name,
                                 const std::optional<OwnerMetadata>& owner);

// --- The account of pods that use the API server.

// Without an owner it outlives the object that requested it, and an existing one is not changed.
DesiredObject build_service_account(std::string_view name, std::string_view namespace_name,
                                    const std::optional<OwnerMetadata>& owner);

}  // namespace dynamo::render

// One service of a graph, or one DynamoComponentDeployment, with all inputs that rendering reads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "render/document/name.hpp"
#include "render/document/profile.hpp"

namespace dynamo::render {

enum class ComponentType : std::uint8_t {
  kFrontend,
  kWorker,
  kPrefill,
  kDecode,
  kPlanner,
  kEndpointPicker,
  kGeneric,  // any other type
};

ComponentType component_type(std::string_view name);

// Workers, prefill and decode workers run an engine; the operator treats them alike.
constexpr bool is_worker_like(ComponentType type) {
  return type == ComponentType::kWorker || type == ComponentType::kPrefill ||
         type == ComponentType::kDecode;
}

// The kind of object that creates the pods.
enum class Workload : std::uint8_t {
  kUnknown,
  kNone,  // several nodes, but nothing can run them: the graph is refused
  kDeployment,
  kLeaderWorkerSet,
  kPodClique,
  kPodCliqueScalingGroup,
};

// The role of a pod in its workload.
enum class PodRole : std::uint8_t { kMain, kLeader, kWorker, kCheckpoint };

// Views into an object and a profile, copied freely; valid as long as both are. Created only by
// component_of().
struct Component {
  const Profile* profile = nullptr;
  api::Service service{json::Value{}};
  ComponentType type = ComponentType::kGeneric;
  std::string_view type_name = {};  // as written
  bool in_graph = true;             // false for a DynamoComponentDeployment
  std::string_view namespace_name = {};
  std::string_view object_name = {};   // metadata.name; empty while it is still to be generated
  std::string_view graph_name = {};    // "" for a component that no graph owns
  std::string_view service_name = {};  // key of spec.services, or spec.serviceName
  std::string_view backend_framework = {};  // as declared
  bool framework_is_certain = false;        // regardless of the command line
  std::int64_t node_count = 1;
  Workload workload = Workload::kUnknown;                   // see workload_of()
  DiscoveryBackend discovery = DiscoveryBackend::kUnknown;  // see discovery_of()
  bool from_checkpoint = false;                             // its pods restore from a checkpoint
  bool debug_twin = false;  // of a Deployment whose traffic is redirected for debugging
  std::string_view checkpoint_hash = {};  // of the checkpoint, if it was looked up
  json::Value graph_envs = {};            // spec.envs of the graph
  json::Value object_labels = {};         // metadata.labels
  json::Value object_annotations = {};    // metadata.annotations
  json::Value pod_spec = {};              // extraPodSpec
  json::Value main_spec = {};             // extraPodSpec.mainContainer

  // Of later operators:
  json::Value hub = {};    // the component in v1beta1; absent if no later operator renders it
  bool reads_hub = false;  // `service` is `hub`: see hub_component_of()
  json::Value alpha = {};  // then, the same component in v1alpha1, for fields that v1beta1 lacks
  json::Value graph_annotations = {};  // spec.annotations of the graph, which pods get
  std::string_view worker_hash = {};   // of a worker, the suffix of its names
  json::Value transfer_policy = {};    // spec.experimental.kvTransferPolicy of the graph
  // The checkpoint from which its pods are restored, and the version of its data; "" for none.
  std::string_view snapshot = {};
  std::string_view snapshot_version = {};
  bool checkpoint_is_ready = false;  // even if its pods are not restored when they are rendered
  // The node of engines that share GPUs between pods, see cliques in Grove; -1 for others.
  std::int64_t fixed_rank = -1;

  json::Value pod() const { return pod_spec; }
  json::Value main_container() const { return main_spec; }
  // An annotation of its pods, as given for the component or for all of the graph.
  json::Value annotation(std::string_view key) const {
    if (!reads_hub) return service.value()["annotations"][key];
    const json::Value own = hub["podTemplate"]["metadata"]["annotations"][key];
    return own.exists() ? own : graph_annotations[key];
  }
  // The same, or one that later operators copy from the metadata of the graph.
  json::Value inherited_annotation(std::string_view key) const {
    const json::Value own = annotation(key);
    return own.is_nothing() && in_graph ? object_annotations[key] : own;
  }
  bool is_multinode() const { return node_count > 1; }
  bool has_later_operator() const { return hub.exists(); }
  // The container of the pod template that later operators merge over a frontend's; "" for none.
  std::string_view frontend_sidecar() const { return hub["frontendSidecar"].string_or_empty(); }
};

// The component with that name of a graph in v1beta1; absent if `graph` is.
json::Value find_hub_component(json::Value graph, std::string_view name);

// `service` is the value of spec.services[service_name]. The namespace is the request's, because an
// object need not contain it. `profile` must outlive the component. `hub` is the same component in
// v1beta1, if a later operator renders it.
Component component_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                       std::string_view service_name, json::Value service, const Profile& profile,
                       json::Value hub = {});
Component component_of(const api::ComponentDeployment& component, std::string_view namespace_name,
                       const Profile& profile, json::Value hub = {});

// The component as later operators render it, from v1beta1 alone: `service` is the component, and
// the pod that of its podTemplate. `component` is an element of spec.components, `alpha` the
// service of that name in v1alpha1, or absent. Paths of origins are still those of v1alpha1.
Component hub_component_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                           json::Value component, json::Value alpha, const Profile& profile);
// The same for a DynamoComponentDeployment; `alpha` is its spec in v1alpha1.
Component hub_component_of(const api::ComponentDeployment& component,
                           std::string_view namespace_name, json::Value alpha,
                           const Profile& profile);

// Whether the annotation nvidia.com/enable-grove disables Grove.
bool is_grove_disabled(json::Value graph_annotations);

// kUnknown if it depends on unknown facts about the cluster.
inline Workload workload_of(const Component& component) {
  return component.workload;
}

// Whether a multinode component runs as a Deployment: it belongs to no graph, and the cluster
// cannot run several nodes together.
inline bool runs_alone(const Component& component) {
  return component.is_multinode() && component.workload == Workload::kDeployment;
}

// Whether the component requests a debug twin that takes over its traffic.
bool steals_traffic(const Component& component);

// Whether such a twin exists next to the component's Deployment: a copy with a debugger and its own
// selector.
inline bool has_debug_twin(const Component& component) {
  return component.workload == Workload::kDeployment && steals_traffic(component);
}

// The roles of the running pods: {main}, or {leader, worker}.
std::span<const PodRole> roles_of(const Component& component);

// The discovery backend of the component's pods, after annotations.
inline DiscoveryBackend discovery_of(const Component& component) {
  return component.discovery;
}

// Whether the pods have the label that the metrics collector selects. kUnknown if it depends on the
// pathway.
api::Fact metrics_enabled(const Component& component);

// Whether names of the component's objects end with worker_hash: of a worker outside Grove.
bool has_hash_in_name(const Component& component);

// The value of DYN_NAMESPACE and of the dynamo-namespace label: "dynamo" for the global namespace,
// otherwise NAMESPACE-GRAPH, to later operators with '-' for each dot of the graph.
Name dynamo_namespace(const Component& component);

// The name of the DynamoComponentDeployment, Deployment, Service and scaling adapter: GRAPH-service
// for a service of a graph, with a later operator GRAPH-service-HASH for a worker outside Grove;
// otherwise the object's own name.
Name component_name(const Component& component);

}  // namespace dynamo::render

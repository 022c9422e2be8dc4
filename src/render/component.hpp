// One service of a graph, or one DynamoComponentDeployment, with what surrounds it: everything that
// rendering reads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "render/name.hpp"
#include "render/profile.hpp"

namespace dynamo::render {

enum class ComponentType : std::uint8_t {
  kFrontend,
  kWorker,
  kPrefill,
  kDecode,
  kPlanner,
  kEndpointPicker,
  kGeneric,  // everything else, spelled as it may be
};

ComponentType component_type(std::string_view name);

// Workers, prefill and decode workers run an engine; the operator treats them alike.
constexpr bool is_worker_like(ComponentType type) {
  return type == ComponentType::kWorker || type == ComponentType::kPrefill ||
         type == ComponentType::kDecode;
}

// Who creates the pods.
enum class Workload : std::uint8_t {
  kUnknown,
  kNone,  // several nodes and nothing that can run them: the graph is refused
  kDeployment,
  kLeaderWorkerSet,
  kPodClique,
  kPodCliqueScalingGroup,
};

// Which pod of a workload.
enum class Role : std::uint8_t { kMain, kLeader, kWorker, kCheckpoint };

// Views into an object and a profile, copied freely; valid as long as both are. Made by
// component_of() only.
struct Component {
  const Profile* profile = nullptr;
  api::Service service{json::Value{}};
  ComponentType type = ComponentType::kGeneric;
  bool in_graph = true;  // false for a DynamoComponentDeployment
  std::string_view namespace_name = {};
  std::string_view object_name = {};        // metadata.name; empty when it is still to be generated
  std::string_view graph_name = {};         // "" for a component that no graph owns
  std::string_view service_name = {};       // key of spec.services, or spec.serviceName
  std::string_view backend_framework = {};  // as declared
  bool framework_is_certain = false;        // whatever the command line runs
  std::int64_t node_count = 1;
  Workload workload = Workload::kUnknown;     // see workload_of()
  Discovery discovery = Discovery::kUnknown;  // see discovery_of()
  bool from_checkpoint = false;               // its pods restore from one
  bool debug_twin = false;                    // of the Deployment that traffic is stolen for
  std::string_view checkpoint_hash = {};      // of the checkpoint, where somebody looked it up
  json::Value graph_envs = {};                // spec.envs of the graph
  json::Value object_labels = {};             // metadata.labels
  json::Value object_annotations = {};        // metadata.annotations
  json::Value pod_spec = {};                  // extraPodSpec
  json::Value main_spec = {};                 // extraPodSpec.mainContainer

  json::Value pod() const { return pod_spec; }
  json::Value main_container() const { return main_spec; }
  json::Value annotation(std::string_view key) const { return service.value()["annotations"][key]; }
  bool multinode() const { return node_count > 1; }
};

// `service` is the value of spec.services[service_name]. The namespace is the request's: an object
// need not name it. `profile` must outlive the component.
Component component_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                       std::string_view service_name, json::Value service, const Profile& profile);
Component component_of(const api::ComponentDeployment& component, std::string_view namespace_name,
                       const Profile& profile);

// The annotation nvidia.com/enable-grove says no.
bool grove_disabled(json::Value graph_annotations);

// kUnknown when it depends on what is not known of the cluster.
inline Workload workload_of(const Component& component) {
  return component.workload;
}

// Of several nodes, in a Deployment: a component that no graph made, where nothing runs several
// nodes together.
inline bool runs_alone(const Component& component) {
  return component.multinode() && component.workload == Workload::kDeployment;
}

// The component asks for a twin that takes over its traffic to be debugged.
bool steals_traffic(const Component& component);

// Such a twin stands beside the component's Deployment: one with a debugger and a selector of its
// own, and with all else that the component has.
inline bool has_debug_twin(const Component& component) {
  return component.workload == Workload::kDeployment && steals_traffic(component);
}

// The roles of the pods that run: {main}, or {leader, worker}.
std::span<const Role> roles_of(const Component& component);

// How the component's pods find each other, after annotations.
inline Discovery discovery_of(const Component& component) {
  return component.discovery;
}

// The pods carry the label that the metrics collector selects on. kUnknown when it depends on the
// pathway.
api::Fact metrics_enabled(const Component& component);

// DYN_NAMESPACE and the label of that name: "dynamo" for the global one, else NAMESPACE-GRAPH.
Name dynamo_namespace(const Component& component);

// Name of the DynamoComponentDeployment, Deployment, Service and scaling adapter: GRAPH-service for
// a service of a graph, else the object's own.
Name component_name(const Component& component);

}  // namespace dynamo::render

// Readiness of a graph's services, from the status of their components or cliques.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "manifests/environment.hpp"
#include "render/component/restart.hpp"

namespace dynamo::reconciler::graph {

// "graph-service"; the service's part is in lower case.
std::string component_name(std::string_view graph, std::string_view service);

// The component that the graph with this uid owns for a service; null if absent. A component of
// another owner is ignored, because its status does not describe this graph.
const kube::Object* component_of(std::string_view graph, std::string_view uid,
                                 std::string_view service, const ObservedObjects& objects);

// The component has observed its newest spec and is available; false for null.
bool is_available(const kube::Object* component);

// The value of nvidia.com/restartAt on the component's pods; "" if absent.
std::string_view restart_mark_of(const kube::Object* component);

// Restart status of the graph, and the restart mark of each service. Services to restart get the
// restart's id, all others keep their current mark, so that the end or withdrawal of a restart
// rolls no pods.
struct Restart {
  std::optional<render::RestartStatus> status = {};
  std::vector<render::RestartMark> marks = {};
};
// `uid`: the graph's; "" for a graph that is not stored. `pathway`: the graph's, which decides
// whether components or cliques carry the marks.
Restart restart_of(const api::GraphDeployment& graph, std::string_view uid,
                   const ObservedObjects& objects, render::Pathway pathway);

struct ServiceReadiness {
  bool ready = false;        // all services are ready
  std::string message = {};  // the services that are not ready, by name, each with its reason
  std::string counted = {};  // status.services as JSON, without services not yet counted
};
ServiceReadiness service_readiness_of(const api::GraphDeployment& graph, std::string_view uid,
                                      const ObservedObjects& objects,
                                      const DesiredObjectsPlan& plan, render::Pathway pathway);
// Sets `ready` and `message`. `late`: by the name of an object, why it is not ready.
void set_message(const std::map<std::string, std::string>& late, ServiceReadiness& readiness);

}  // namespace dynamo::reconciler::graph

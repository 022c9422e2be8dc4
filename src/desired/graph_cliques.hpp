// The state of a graph that Grove runs: its PodCliqueSet, and for each service the PodClique or
// PodCliqueScalingGroup that Grove creates from it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/graph_services.hpp"
#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::reconciler::graph {

// The name of the object in which Grove counts the replicas of a service: "graph-0-service", in
// lower case. The set has one replica, number 0.
std::string clique_name(std::string_view graph, std::string_view service);
// Its resource: a scaling group for a service of several nodes.
const kube::Resource& clique_resource_of(json::Value service);

// The PodCliqueSet that the graph with this uid owns; null if absent.
const kube::Object* clique_set_of(std::string_view graph, std::string_view uid,
                                  const ObservedObjects& objects);

// Why the service is not ready, such as "1 of 2 replicas is ready"; "" if it is. `clique` is its
// PodClique or PodCliqueScalingGroup; null if it does not exist.
std::string why_clique_is_late(const kube::Object* clique);

// The cliques of a graph, by service.
class GraphCliques {
 public:
  // All arguments must outlive it.
  GraphCliques(const api::GraphDeployment& graph, std::string_view uid,
               const ObservedObjects& objects);

  // Null if absent. An object of an earlier set of the same name is ignored.
  const kube::Object* find(std::string_view service, json::Value definition) const;
  // Grove has applied the set's newest spec with the graph's restart mark, and the service is
  // ready.
  bool is_updated(std::string_view service) const;
  // The value of nvidia.com/restartAt for a service in the set; where the set has none, on its
  // clique. "" if absent.
  std::string_view restart_mark_of(std::string_view service) const;

  ServiceReadiness readiness(const DesiredObjectsPlan& plan) const;

 private:
  // Every clique of the service that Grove created has the mark of the requested restart.
  bool has_restart_mark(std::string_view service) const;
  // Grove reports the set's newest spec as applied to the clique or scaling group, or reports
  // nothing about that.
  bool has_applied_set(const kube::Object& clique) const;
  std::string_view mark_in_set(std::string_view service) const;
  std::string why_set_is_late(const DesiredObjectsPlan& plan) const;

  const api::GraphDeployment& graph_;
  const std::string_view name_;
  const ObservedObjects& objects_;
  const kube::Object* const set_;
  // By the label with the service's name.
  std::map<std::string_view, std::string_view, std::less<>> marks_;
};

}  // namespace dynamo::reconciler::graph

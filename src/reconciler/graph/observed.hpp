// Input of planning for a DynamoGraphDeployment.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"
#include "manifests/environment.hpp"

namespace dynamo::reconciler::graph {

// The scale subresource of a PodClique or PodCliqueScalingGroup.
struct ObservedScale {
  kube::Resource resource = {};
  std::string name = {};
  std::string uid = {};
  std::int64_t replicas = 0;
};

struct ObservedState {
  kube::Object object = {};
  std::vector<std::string> errors = {};  // violated rules (operator_validator.hpp)
  // Its documents must outlive the plan. The plan fills in the restart marks.
  render::RenderEnvironment environment = {};
  // From the namespace: the graph's DynamoComponentDeployments and scaling adapters, all
  // DynamoCheckpoints; claims, accounts, roles, bindings, ConfigMaps, InferencePools and the MPI
  // Secret by the names that the graph uses; its PodCliqueSet, Services, Ingresses and
  // VirtualServices, and its cliques and scaling groups. ClusterRoles, if the operator serves the
  // whole cluster.
  ObservedObjects objects = {};
  // Grove is served, but the graph's components are older and continue without it.
  bool avoids_grove = false;
  // Grove runs the graph's pods and may not, or cannot, run them any more.
  bool leaves_grove = false;
  // The queue of KAI that the graph names and that does not exist; "" if KAI is not used.
  std::string missing_queue = {};
  // The generated source of the copied MPI Secret is created here first; "" if the source exists or
  // is not copied.
  std::string new_mpi_source_namespace = {};
  // The replica counts of the graph's cliques and scaling groups.
  std::vector<ObservedScale> scales = {};
  std::chrono::system_clock::time_point now{};
};

}  // namespace dynamo::reconciler::graph

// Input of planning for a DynamoGraphDeployment.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::reconciler::graph {

struct ObservedState {
  kube::Object object = {};
  std::vector<std::string> errors = {};  // violated rules (operator_validator.hpp)
  // Its documents must outlive the plan. The plan fills in the restart marks.
  render::RenderEnvironment environment = {};
  // From the namespace: the graph's DynamoComponentDeployments and scaling adapters, all
  // DynamoCheckpoints; claims, accounts, roles, bindings, ConfigMaps, InferencePools and the MPI
  // Secret by the names that the graph uses. ClusterRoles, if the operator serves the whole
  // cluster.
  ObservedObjects objects = {};
  // Grove is served, but the graph's components are older and continue without it.
  bool avoids_grove = false;
  std::chrono::system_clock::time_point now{};
};

}  // namespace dynamo::reconciler::graph

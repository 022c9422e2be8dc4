// What a pass over a DynamoGraphDeployment looks at.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kube/object.hpp"
#include "reconciler/children/seen.hpp"
#include "render/children/environment.hpp"

namespace dynamo::reconciler::graph {

struct Observed {
  kube::Object object = {};
  std::vector<std::string> errors = {};  // what the rules say of it (judge.hpp)
  // Its documents outlive the plan. Who carries which restart is found out here.
  render::ChildEnvironment environment = {};
  // Of the namespace: all DynamoComponentDeployments, scaling adapters and DynamoCheckpoints;
  // claims, accounts, roles, bindings, ConfigMaps, InferencePools and the MPI Secret by the names
  // that the graph uses. ClusterRoles, where the operator serves the whole cluster.
  Seen seen = {};
  // Grove is served, but the graph's components are older and go on without it.
  bool stays_off_grove = false;
  std::chrono::system_clock::time_point now{};
};

}  // namespace dynamo::reconciler::graph

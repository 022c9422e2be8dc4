// What a pass over a DynamoComponentDeployment looks at.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kube/object.hpp"
#include "reconciler/children/seen.hpp"
#include "render/children/environment.hpp"

namespace dynamo::reconciler::component {

struct Observed {
  kube::Object object = {};
  std::vector<std::string> errors = {};  // what the rules say of it (judge.hpp)
  // Its documents outlive the plan.
  render::ChildEnvironment environment = {};
  // Deployments, Services, Ingresses, VirtualServices, LeaderWorkerSets and PodGroups of the
  // namespace: those that the component owns, and those of the names that it uses.
  Seen seen = {};
  // Of etcd's JSON gateway, "https://etcd:2379"; empty: nothing is cleaned up there.
  std::string etcd_url = {};
  bool namespace_going = false;
  std::chrono::system_clock::time_point now{};
};

}  // namespace dynamo::reconciler::component

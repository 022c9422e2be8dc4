// What a pass over a DynamoComponentDeployment looks at.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kube/object.hpp"
#include "reconciler/children/seen.hpp"
#include "reconciler/component/references.hpp"
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
  // What the spec names and what is not there. Looked up for a component that is late only.
  std::vector<Reference> missing = {};
  // It could not be looked up: what was told of it stays.
  bool is_missing_unknown = false;
  // Why the pods of a group are not let in, by the group's name. Asked for as `missing` is.
  std::map<std::string, std::string> refusals = {};
  // Of etcd's JSON gateway, "https://etcd:2379"; empty: nothing is cleaned up there.
  std::string etcd_url = {};
  // Why its keys there must stay when it is deleted (claims.hpp); empty: they are its own.
  std::string keys_stay = {};
  std::chrono::system_clock::time_point now{};
};

}  // namespace dynamo::reconciler::component

// Input of planning for a DynamoComponentDeployment.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "manifests/environment.hpp"
#include "reconciler/component/references.hpp"

namespace dynamo::reconciler::component {

struct ObservedState {
  kube::Object object = {};
  std::vector<std::string> errors = {};  // violated rules (operator_validator.hpp)
  // Its documents must outlive the plan.
  render::RenderEnvironment environment = {};
  // Deployments, Services, Ingresses, VirtualServices, LeaderWorkerSets and PodGroups of the
  // namespace that the component owns or whose names it uses.
  ObservedObjects objects = {};
  // Referenced objects that do not exist. Looked up only for a late component.
  std::vector<Reference> missing = {};
  // The lookup failed: the status keeps its previous report.
  bool is_missing_unknown = false;
  // Why the pods of a group are refused, by the group's name. Looked up together with `missing`.
  std::map<std::string, std::string> refusals = {};
  // URL of etcd's JSON gateway, "https://etcd:2379"; empty: keys are not cleaned up.
  std::string etcd_url = {};
  // Why the keys must stay in etcd after a deletion (reason_to_keep_keys()); empty: only this
  // component uses them.
  std::string keep_keys_reason = {};
  std::chrono::system_clock::time_point now{};
};

}  // namespace dynamo::reconciler::component

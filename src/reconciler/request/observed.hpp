// Input of planning for a DynamoGraphDeploymentRequest.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "manifests/environment.hpp"
#include "reconciler/request/result.hpp"

namespace dynamo::reconciler::request {

// Which members are observed depends on the step of the request (step_of()); the others are empty.
struct ObservedState {
  kube::Object object = {};
  render::RenderEnvironment environment = {};
  std::chrono::system_clock::time_point now{};
  // The generation whose rejection was reported; 0: none.
  std::int64_t reported_generation = 0;

  // --- RequestStep::kAccept, and RequestStep::kStartJob for an edited request.
  // Violated rules (operator_validator.hpp) and referenced objects that do not exist.
  std::vector<std::string> errors = {};

  // --- The Job, in all steps up to RequestStep::kProfile; in RequestStep::kStartJob, also the
  // ConfigMap with an earlier result, the account and its binding, and the ClusterRole.
  ObservedObjects objects = {};
  // --max-profiling-jobs; 0: no limit.
  std::size_t max_jobs = 0;
  // False: as many Jobs run, the request has none, and nothing but `errors` was observed.
  bool has_free_slot = true;

  // --- RequestStep::kProfile.
  std::string pods = {};  // what the Job's pods report (diagnosis.hpp); "" if nothing
  // Of a complete Job.
  std::optional<Extraction> extraction = {};
  // Why the rules refuse the generated graph, worded like a webhook's denial; "" if they admit it.
  std::string denial = {};
  // The generated ConfigMaps that exist already.
  std::set<std::string> existing_config_maps = {};
  // Those of them that were created before the request.
  std::set<std::string> older_config_maps = {};
  // Why the server refused to create generated ConfigMaps, by name.
  std::map<std::string, std::string> refused_config_maps = {};

  // --- RequestStep::kDeploy, and a complete Job in RequestStep::kProfile.
  // Why nothing can be created in the graph's namespace; "" if it can.
  std::string refused_namespace = {};

  // --- RequestStep::kDeploy and RequestStep::kFollow.
  std::optional<kube::Object> graph = {};
  // The other request whose graph this is; an empty name: none.
  kube::ObjectKey other_request = {};
};

}  // namespace dynamo::reconciler::request

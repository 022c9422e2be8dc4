// The DynamoGraphDeploymentRequest controller as pure functions of the observed state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "desired/kinds.hpp"
#include "desired/plan.hpp"
#include "json/document.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/resource.hpp"
#include "reconciler/request/observed.hpp"

namespace dynamo::reconciler::request {

inline constexpr kube::Resource kRequests{
    "nvidia.com", kDynamoVersion, "dynamographdeploymentrequests", "DynamoGraphDeploymentRequest"};

// The label of the Jobs that are watched: those of requests.
inline constexpr const char* kJobLabel = "dgdr";

// The work of one reconcile, by the state of the request.
enum class RequestStep : std::uint8_t {
  kDelete,    // it is being deleted
  kReject,    // its spec was edited after profiling began
  kAccept,    // it is new, or a failed one is retried
  kStartJob,  // Pending
  kProfile,   // Profiling
  kDeploy,    // Deploying, and its graph does not exist yet
  kFollow,    // Deploying or Ready, and its graph was created
  kRest,      // nothing is left to do
  kUnknown,   // no state of this controller
};
RequestStep step_of(const kube::Object& request);

// The spec was edited since the request was accepted.
bool is_edited(const kube::Object& request);

// The key of the created graph, from the status.
kube::ObjectKey created_graph(const kube::Object& request);

// Plans the next step of a request. States and their conditions:
//   ""                 Validation False ValidationFailed, and the state is Failed
//   Pending            Profiling False JobCreationFailed; WaitingForProfilingSlot: as many Jobs run
//                      as --max-profiling-jobs allows; NameTaken and WaitingForDeletion: another
//                      Job has the name
//   Profiling          Profiling False ProfilingRunning | ProfilingFailed, True ProfilingCompleted;
//                      SpecGenerated False GenerationFailed, True SpecGenerated
//   Deploying, Ready   DeploymentReady False DeploymentCreated | DeploymentExisted |
//                      DeploymentCreationFailed | DeploymentDegraded | NameTaken |
//                      WaitingForDeletion, True DeploymentReady
//   DeploymentDeleted  DeploymentReady False DeploymentDeleted
//   any other          Validation False UnknownState, and the state is Failed
// Each transition is one reconcile; PlanOutcome::kWait without a pause asks for the next one. Pure;
// never throws, whatever the content of `observed`.
Plan plan(const ObservedState& observed);

// Plans after an action of the plan for the same `observed`, or a read before it, has failed; `why`
// is one line that names the failure. It reports the failure in a condition, and the state stays.
Plan plan_after_failure(const ObservedState& observed, const std::string& why);

}  // namespace dynamo::reconciler::request

// The DynamoCheckpoint controller as pure functions of the observed state.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "desired/kinds.hpp"
#include "desired/observed_objects.hpp"
#include "desired/plan.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"
#include "manifests/environment.hpp"

namespace dynamo::reconciler::checkpoint {

inline constexpr kube::Resource kCheckpoints{"nvidia.com", kDynamoVersion, "dynamocheckpoints",
                                             "DynamoCheckpoint"};

inline constexpr std::string_view kSpecChangeIgnored = "SpecChangeIgnored";

struct ObservedState {
  kube::Object object = {};
  std::vector<std::string> errors = {};  // violated rules (operator_validator.hpp)
  render::RenderEnvironment environment = {};
  // The Job that has the name of the checkpoint's Job. Another client may own it.
  ObservedObjects objects = {};
  // Checkpoints of the namespace with the same hash in their label.
  std::vector<kube::Object> same_hash = {};
  // The generation whose ignored edit was reported; 0: none.
  std::int64_t reported_generation = 0;
  std::chrono::system_clock::time_point now{};
};

// Plans the Job, the label, status and events of one checkpoint. status.phase:
//   Pending   accepted; the Job is created next, or a condition reports why it cannot be
//   Creating  the Job exists
//   Ready     final
//   Failed    until the spec or kRetryAnnotation changes, or the Job succeeds late
// Conditions:
//   JobCreated    JobCreated; False with JobDeleted: the Job disappeared and is created again;
//                 False with Retrying: another attempt begins; False with NameTooLong,
//                 HashCollision, NameTaken, WaitingForDeletion, JobRefused or JobCreationFailed:
//                 nothing is created
//   JobCompleted  JobSucceeded | JobFailed
//   TarAvailable  TarCreated
//   Valid         only after a refusal: ValidationFailed | ValidationPassed
// The Job is created once per attempt and never changed: the event kSpecChangeIgnored reports an
// edit of the spec in Creating or Ready. Each transition yields one status write and at most one
// other event. Pure; never throws, whatever the content of `observed`.
Plan plan(const ObservedState& observed);

// Plans after an action of the plan for the same `observed` has failed; `why` is one line that
// names the failure. It reports once that the Job could not be created; the outcome is kRetry.
Plan plan_after_failure(const ObservedState& observed, const std::string& why);

// The hash of the checkpoint: from its status, otherwise of its identity.
std::string hash_of(const kube::Object& checkpoint);

// The name of the checkpoint's Job.
std::string job_name_of(const kube::Object& checkpoint);

// The Job must be read from the server. After a restart the cache may show the Job of an earlier
// attempt, which must not decide this one, or not show the Job yet. `cached`: null if there is
// none.
bool should_read_job(const kube::Object& checkpoint, const kube::Object* cached);

// The next reconcile may create a Job, so the rules must be evaluated.
bool may_create_job(const kube::Object& checkpoint);

}  // namespace dynamo::reconciler::checkpoint

// The DynamoComponentDeployment controller as pure functions of the observed state.
#pragma once

#include <string>

#include "desired/plan.hpp"
#include "reconciler/component/observed.hpp"

namespace dynamo::reconciler::component {

// Plans owned objects, clean-up, status and events of one component. Conditions:
//   Valid                 ValidationPassed | ValidationFailed
//   Available             DeploymentReady | DeploymentNotReady | AllLeaderWorkerSetsReady |
//                         SomeLeaderWorkerSetsNotReady; False with Reconciling: an API or an action
//                         is missing or refused; False with NameTaken: another owner has the name
//                         of a desired object; False with WaitingForDeletion: an object of that
//                         name is being deleted, or belongs to an earlier component of the same
//                         name; False with ObjectMissing: pods wait for an object that the spec
//                         references
//   DynamoComponentReady  like Available, as ComponentReady | ComponentNotReady
// An object in its desired state yields no actions. Pure; never throws, whatever the content of
// `observed`.
Plan plan(const ObservedState& observed);

// Plans after an action of the plan for the same `observed` has failed; `why` is one line that
// names the failure. It reports the failure once; the outcome is kRetry. A deletion proceeds even
// if etcd cannot be cleaned up.
Plan plan_after_failure(const ObservedState& observed, const std::string& why);
// Like plan_after_failure(), for a reconcile that could not plan because a read failed. Events that
// a plan would have emitted are still emitted later.
Plan plan_after_read_failure(const ObservedState& observed, const std::string& why);

}  // namespace dynamo::reconciler::component

// The DynamoComponentDeployment controller as functions of what was seen.
#pragma once

#include <string>

#include "reconciler/children/plan.hpp"
#include "reconciler/component/observed.hpp"

namespace dynamo::reconciler::component {

// Children, clean-up, status and events of one component. Conditions:
//   Valid                 ValidationPassed | ValidationFailed
//   Available             DeploymentReady | DeploymentNotReady | AllLeaderWorkerSetsReady |
//                         SomeLeaderWorkerSetsNotReady; False with Reconciling: something is
//                         missing or refused; False with NameTaken: a child's name is somebody
//                         else's; False with WaitingForDeletion: a child of that name is going, or
//                         is to go with an earlier component of that name; False with
//                         ObjectMissing: pods wait for what the spec names
//   DynamoComponentReady  the same, as ComponentReady | ComponentNotReady
// Of an object that asks for what is there already there are no actions. Pure; never throws for any
// content of what was seen.
Plan plan(const Observed& observed);

// After an action of the plan of the same `observed` has failed: `why` is one line that names it.
// What it writes tells of it, once; the ending is kRetry. Deletion goes on without etcd.
Plan plan_after_failure(const Observed& observed, const std::string& why);
// The same of a pass that came to no plan, as something could not be read: what a plan would have
// told is still to be told.
Plan plan_of_the_unread(const Observed& observed, const std::string& why);

}  // namespace dynamo::reconciler::component

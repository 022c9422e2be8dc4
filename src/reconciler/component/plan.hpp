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
//                         else's
//   DynamoComponentReady  the same, as ComponentReady | ComponentNotReady
// Of an object that asks for what is there already there are no actions. Pure; never throws for any
// content of what was seen.
Plan plan(const Observed& observed);

// After an action of the plan of the same `observed` has failed: `why` is one line that names it.
// What it writes tells of it, once; the ending is kRetry. Deletion goes on without etcd.
Plan plan_after_failure(const Observed& observed, const std::string& why);

}  // namespace dynamo::reconciler::component

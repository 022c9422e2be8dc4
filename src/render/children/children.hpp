// All that the controllers create of one object.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "render/children/child.hpp"
#include "render/children/environment.hpp"

namespace dynamo::render {

// Each is a function of its arguments alone, which are not kept. An object that the rules refuse
// may have children here; to judge it is the caller's. Thread-safe, allocates.

// Deployments, or PodGroups and LeaderWorkerSets, then Services, and the way in from outside.
Children children_of(const api::ComponentDeployment& component, std::string_view namespace_name,
                     const ChildEnvironment& environment);

// Accounts, claims, requested checkpoints, scaling adapters, what discovery and endpoint picker
// need, and one DynamoComponentDeployment per service, by name. A graph that Grove would run is
// refused.
Children children_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                     const ChildEnvironment& environment);

// The job that makes the checkpoint.
Children children_of(const api::Checkpoint& checkpoint, std::string_view namespace_name,
                     const ChildEnvironment& environment);

// The job that profiles, and the account that it runs under; what an earlier one found goes.
Children children_of(const api::GraphDeploymentRequest& request, std::string_view namespace_name,
                     const ChildEnvironment& environment);

}  // namespace dynamo::render

// Rules for a DynamoComponentDeployment as a whole; those for its service are in service.hpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::component_deployment {

void backend_immutable(const api::Context&, const api::ComponentDeployment& now,
                       const api::ComponentDeployment* old, Report&);

}  // namespace dynamo::validators::component_deployment

// Defaults of a DynamoGraphDeployment. Ids and one-line summaries stand in catalog.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters::graph_deployment {

// Notes under which operator version the graph was created, unless the annotation is there already:
// a user's value stays, even an empty one.
void origin_version(const api::Context& context, const api::GraphDeployment& graph,
                    json::PatchWriter& patch);

// One replica for each service that does not say how many: one operation each, or for more than 32
// of them a single one that writes all services anew.
void replicas(const api::Context& context, const api::GraphDeployment& graph,
              json::PatchWriter& patch);

}  // namespace dynamo::defaulters::graph_deployment

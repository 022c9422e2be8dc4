// Defaults of a DynamoGraphDeployment. Ids and one-line summaries stand in catalog.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters::graph_deployment {

// Notes under which operator version the graph was created, unless the annotation is there already:
// a user's value stays, even an empty one.
void origin_version(const api::Context& context, const api::GraphDeployment& graph,
                    const api::GraphDeployment& old, json::PatchWriter& patch);

// One replica for each service that does not say how many. On an update a service that has a
// scaling adapter, or had one, keeps the number it has: whoever leaves the number out leaves it to
// the adapter, and one replica would be refused as scaling behind its back.
void replicas(const api::Context& context, const api::GraphDeployment& graph,
              const api::GraphDeployment& old, json::PatchWriter& patch);

}  // namespace dynamo::defaulters::graph_deployment

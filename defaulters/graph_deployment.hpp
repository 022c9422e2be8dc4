// Defaults of a DynamoGraphDeployment. Ids and summaries are in catalog.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters::graph_deployment {

// Records the operator version at the creation of the graph, unless the annotation exists. The
// user's value is kept, even an empty one.
void origin_version(const api::Context& context, const api::GraphDeployment& graph,
                    const api::GraphDeployment& old, json::PatchWriter& patch);

// Sets one replica for each service without a replica count. On an update, a service that has or
// had a scaling adapter keeps its current count: a manifest without the field leaves the count to
// the adapter, and setting one replica would be refused as a change behind the adapter.
void replicas(const api::Context& context, const api::GraphDeployment& graph,
              const api::GraphDeployment& old, json::PatchWriter& patch);

}  // namespace dynamo::defaulters::graph_deployment

// Rules for a DynamoGraphDeployment as a whole; those for its services are in service.hpp. The
// texts are in validators/texts/graph.md, graph_update.md and graph_restart.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::graph_deployment {

using api::Context;
using api::GraphDeployment;

void backend_immutable(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                       Report&);
void origin_version_semver(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                           Report&);
void pvc_name(const Context&, const GraphDeployment& now, const GraphDeployment* old, Report&);
void pvc_create_size(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                     Report&);
void pvc_create_storage_class(const Context&, const GraphDeployment& now,
                              const GraphDeployment* old, Report&);
void pvc_create_access_mode(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                            Report&);
void restart_id(const Context&, const GraphDeployment& now, const GraphDeployment* old, Report&);
void restart_parallel_order(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                            Report&);
void restart_order_unique(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                          Report&);
void restart_order_complete(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                            Report&);
void restart_order_known(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                         Report&);
void services_required(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                       Report&);
// Above api::kMaxServices an update may only remove services: other rules do not run.
void services_limit(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                    Report&);
void services_fixed(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                    Report&);

}  // namespace dynamo::validators::graph_deployment

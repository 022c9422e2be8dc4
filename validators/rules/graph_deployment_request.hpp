// Rules for a DynamoGraphDeploymentRequest. The texts are in validators/texts/request.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::graph_deployment_request {

using api::Context;
using api::GraphDeploymentRequest;
using Request = GraphDeploymentRequest;

void gpu_discovery_scope(const Context&, const Request& now, const Request* old, Report&);
void profiler_image(const Context&, const Request& now, const Request* old, Report&);
void config_required(const Context&, const Request& now, const Request* old, Report&);
void config_parses(const Context&, const Request& now, const Request* old, Report&);
void config_backend_overwritten(const Context&, const Request& now, const Request* old, Report&);
void config_model_overwritten(const Context&, const Request& now, const Request* old, Report&);
void spec_immutable(const Context&, const Request& now, const Request* old, Report&);

}  // namespace dynamo::validators::graph_deployment_request

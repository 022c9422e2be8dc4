// Rules for a DynamoGraphDeploymentRequest: settings that make its profiling job fail, which cannot
// be repaired afterwards. The texts are in validators/texts/rendered_request.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::requests {

using api::Context;
using Request = api::GraphDeploymentRequest;

// config.cpp
void config_shape(const Context&, const Request& now, const Request* old, Report&);
void config_keys(const Context&, const Request& now, const Request* old, Report&);

// values.cpp
void values(const Context&, const Request& now, const Request* old, Report&);
void simulated_system(const Context&, const Request& now, const Request* old, Report&);
void model_cache(const Context&, const Request& now, const Request* old, Report&);

// request.cpp
void images(const Context&, const Request& now, const Request* old, Report&);
void edit_after_failure(const Context&, const Request& now, const Request* old, Report&);
void controller_missing(const Context&, const Request& now, const Request* old, Report&);

}  // namespace dynamo::validators::requests

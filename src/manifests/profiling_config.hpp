// The configuration of the profiler of a DynamoGraphDeploymentRequest.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"

namespace dynamo::render {

std::optional<RenderRefusal> refusal_of_config(const api::GraphDeploymentRequest& request);

// The user's settings, completed with model, backend and paths, as YAML with sorted names.
// Precondition: refusal_of_config() returned nullopt.
std::string profiling_config(const api::GraphDeploymentRequest& request,
                             std::string_view namespace_name);

// Whether the AI configurator estimates the results instead of measuring them on GPUs.
bool uses_ai_configurator(const api::GraphDeploymentRequest& request);

}  // namespace dynamo::render

// What the profiler of a DynamoGraphDeploymentRequest is told.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/objects.hpp"
#include "render/children/child.hpp"

namespace dynamo::render {

std::optional<Refusal> refusal_of_config(const api::GraphDeploymentRequest& request);

// The user's settings with model, backend and places filled in, as YAML with sorted names.
// Precondition: they are not refused.
std::string profiling_config(const api::GraphDeploymentRequest& request,
                             std::string_view namespace_name);

// Whether no GPU is measured: figures come from the AI configurator.
bool uses_ai_configurator(const api::GraphDeploymentRequest& request);

}  // namespace dynamo::render

// Whether an owned object has reached its desired state.
#pragma once

#include "json/document.hpp"

namespace dynamo::render {

// Whether all pods of a Deployment are up to date and available, or no pods are desired; false if
// it is paused.
bool is_deployment_ready(json::Value live);

}  // namespace dynamo::render

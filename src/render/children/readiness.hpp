// Whether a child has become what was asked for.
#pragma once

#include "json/document.hpp"

namespace dynamo::render {

// A Deployment whose pods are all there, new and available, or none is asked for; never a paused
// one.
bool deployment_ready(json::Value live);

}  // namespace dynamo::render

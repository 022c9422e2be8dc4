// The Job that runs a process until it is captured as a checkpoint.
#pragma once

#include <optional>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::render {

std::optional<RenderRefusal> refusal_of(const api::Checkpoint& checkpoint,
                                        const RenderEnvironment& environment);

// The template as written, with the additions for the capture. The first container is captured.
// Precondition: refusal_of() returned nullopt.
DesiredObject build_checkpoint_job(const api::Checkpoint& checkpoint,
                                   std::string_view namespace_name,
                                   const RenderEnvironment& environment);

}  // namespace dynamo::render

// The Job that runs a process until it is captured as a checkpoint.
#pragma once

#include <optional>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "render/children/child.hpp"
#include "render/children/environment.hpp"

namespace dynamo::render {

std::optional<Refusal> refusal_of(const api::Checkpoint& checkpoint,
                                  const ChildEnvironment& environment);

// The template as written, with the additions for the capture. The first container is captured.
// Precondition: refusal_of() returned nullopt.
Child checkpoint_job_child(const api::Checkpoint& checkpoint, std::string_view namespace_name,
                           const ChildEnvironment& environment);

}  // namespace dynamo::render

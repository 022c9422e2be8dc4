// The Job that runs a process until it is captured as a checkpoint.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::render {

// Where the checkpoint of a hash is stored.
struct CheckpointLocation {
  std::string_view storage_type = {};  // "pvc", "s3" or "oci"
  std::string location = {};
};
CheckpointLocation checkpoint_location(std::string_view hash, const Profile& profile);

std::optional<RenderRefusal> refusal_of(const api::Checkpoint& checkpoint,
                                        const RenderEnvironment& environment);

// The template as written, with the additions for the capture. The container named main is
// captured, otherwise the first one.
// Precondition: refusal_of() returned nullopt.
DesiredObject build_checkpoint_job(const api::Checkpoint& checkpoint,
                                   std::string_view namespace_name,
                                   const RenderEnvironment& environment);

}  // namespace dynamo::render

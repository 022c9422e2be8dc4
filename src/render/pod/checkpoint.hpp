// The additions to the pods of a service that restores from a checkpoint.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/pod/container.hpp"
#include "render/pod/variables.hpp"
#include "render/pod/volumes.hpp"

namespace dynamo::render {

// A volume and its mount in the restoring container; an empty name means that it is not needed.
struct CheckpointVolume {
  std::string_view name = {};
  VolumeSource kind = VolumeSource::kUser;
  std::string_view source = {};
  std::string_view path = {};
  bool read_only = false;
  bool certain = true;
};

// Whether the operator edits the pods of the component for a checkpoint. First-generation operators
// edit the template; later ones leave it unchanged and edit each pod on creation. kYes is certain.
api::Fact checkpoint_edits_pods(const Component& component);

// The storage (only on a claim), the signal directory and the pod information.
std::array<CheckpointVolume, 3> checkpoint_volumes(const Component& component);

// The variables that precede all others, in this order, regardless of their names. The hash is
// known if the service gives an identity; with checkpointRef the other object has it.
std::span<const Variable> checkpoint_variables(const Component& component, Arena& arena);

// Edits the restoring container: its command line runs through the image's entrypoint, with the
// variables and the mounts above.
void restore_from_checkpoint(const Component& component, Container& container, Arena& arena);

}  // namespace dynamo::render

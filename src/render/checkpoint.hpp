// What a service that restores from a checkpoint adds to its pods.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/component.hpp"
#include "render/container.hpp"
#include "render/variables.hpp"
#include "render/volumes.hpp"

namespace dynamo::render {

// A volume and its mount in the container that restores; no name: not needed.
struct CheckpointVolume {
  std::string_view name = {};
  VolumeSource kind = VolumeSource::kUser;
  std::string_view source = {};
  std::string_view path = {};
  bool read_only = false;
  bool certain = true;
};

// Whether the operator edits the pods of the component for a checkpoint: the first ones edit the
// template, later ones leave it and edit each pod as it is made. Yes means for sure.
api::Fact checkpoint_edits_pods(const Component& component);

// Storage (only on a claim), signal directory and pod information.
std::array<CheckpointVolume, 3> checkpoint_volumes(const Component& component);

// They stand in front of all others, in this order, whatever these are called. The hash is known
// where the service gives an identity; with checkpointRef it stands in the other object.
std::span<const Variable> checkpoint_variables(const Component& component, Arena& arena);

// Edits the container that restores: its command line goes through the image's entrypoint, with the
// variables and the mounts above.
void restore_from_checkpoint(const Component& component, Container& container, Arena& arena);

}  // namespace dynamo::render

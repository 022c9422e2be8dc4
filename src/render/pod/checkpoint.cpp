#include "render/pod/checkpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "render/component/hash.hpp"

namespace dynamo::render {
namespace {

std::string_view known(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view{};
}

constexpr std::string_view kStorageVolume = "checkpoint-storage";
constexpr std::string_view kSignalVolume = "checkpoint-signal";
constexpr std::string_view kSignalPath = "/checkpoint-signal";
constexpr std::string_view kPodInfoVolume = "podinfo";
constexpr std::string_view kPodInfoPath = "/etc/podinfo";

bool is_certain(const Component& component) {
  return checkpoint_edits_pods(component) == api::Fact::kYes;
}

json::Value identity_of(const Component& component) {
  const json::Value checkpoint = component.service.value()["checkpoint"];
  // A reference takes precedence over an identity.
  if (!checkpoint["checkpointRef"].string_or_empty().empty()) return {};
  return checkpoint["identity"];
}

// The image's entrypoint decides between a restore and a cold start. The command line becomes its
// arguments.
void run_through_entrypoint(bool certain, Container& container, Arena& arena) {
  const std::size_t count = container.command.size() + container.args.size();
  const std::span<std::string_view> items = arena.make_array<std::string_view>(count);
  const auto rest =
      std::copy(container.command.items.begin(), container.command.items.end(), items.begin());
  std::copy(container.args.items.begin(), container.args.items.end(), rest);
  container.args = {.items = items,
                    .origin = container.args.origin,
                    .moved = container.command.size(),
                    .moved_from = container.command.origin};
  container.command = {};
  container.privileged = true;
  container.privileged_certain = certain;
}

std::span<const Variable> prepended(std::span<const Variable> first, std::span<const Variable> rest,
                                    Arena& arena) {
  const std::span<Variable> all = arena.make_array<Variable>(first.size() + rest.size());
  std::copy(rest.begin(), rest.end(), std::copy(first.begin(), first.end(), all.begin()));
  return all;
}

std::span<const Mount> with_checkpoint_mounts(const Component& component,
                                              std::span<const Mount> mounts, Arena& arena) {
  const auto volumes = checkpoint_volumes(component);
  ArenaList<Mount> all(arena, mounts.size() + volumes.size());
  for (const Mount& mount : mounts) all.push(mount);
  for (const CheckpointVolume& volume : volumes) {
    if (!volume.name.empty()) {
      all.push({.volume = volume.name,
                .path = volume.path,
                .read_only = volume.read_only,
                .origin = origin_in(Block::kService, "checkpoint"),
                .certain = volume.certain});
    }
  }
  return all.items();
}

}  // namespace

api::Fact checkpoint_edits_pods(const Component& component) {
  if (!component.from_checkpoint) return api::Fact::kNo;
  return edits_pods_to_restore(*component.profile);
}

std::array<CheckpointVolume, 3> checkpoint_volumes(const Component& component) {
  const Profile& profile = *component.profile;
  const bool certain = is_certain(component);
  std::array<CheckpointVolume, 3> volumes;
  if (profile.checkpoint_storage == CheckpointStorage::kPvc ||
      profile.checkpoint_storage == CheckpointStorage::kUnknown) {
    volumes[0] = {.name = kStorageVolume,
                  .kind = VolumeSource::kPersistentVolumeClaim,
                  .source = known(profile.checkpoint_pvc),
                  .path = known(profile.checkpoint_base_path),
                  .certain = certain && profile.checkpoint_storage == CheckpointStorage::kPvc};
  }
  volumes[1] = {.name = kSignalVolume,
                .kind = VolumeSource::kHostPath,
                .source = known(profile.checkpoint_signal_host_path),
                .path = kSignalPath,
                .certain = certain};
  volumes[2] = {.name = kPodInfoVolume,
                .kind = VolumeSource::kPodInfo,
                .path = kPodInfoPath,
                .read_only = true,
                .certain = certain};
  return volumes;
}

std::span<const Variable> checkpoint_variables(const Component& component, Arena& arena) {
  const Profile& profile = *component.profile;
  std::string_view hash = component.checkpoint_hash;
  if (!hash.empty()) {
    // The hash was looked up and overrides the identity.
  } else if (const json::Value identity = identity_of(component); identity.is_object()) {
    hash = arena.join({checkpoint_identity_hash(identity).view()});
  }
  const auto below = [&](std::string_view middle, std::string_view end,
                         const std::optional<std::string>& place) -> std::string_view {
    if (!place || place->empty() || hash.empty()) return {};
    return arena.join({*place, middle, hash, end});
  };

  constexpr std::size_t kMax = 5;
  ArenaList<Variable> variables(arena, kMax);
  const bool edits = is_certain(component);
  const auto add = [&](std::string_view name, std::string_view value, bool certain = true) {
    variables.push({.name = name,
                    .value = value,
                    .origin = origin_in(Block::kService, "checkpoint"),
                    .certain = certain && edits});
  };
  switch (profile.checkpoint_storage) {
    case CheckpointStorage::kPvc:
      add("DYN_CHECKPOINT_PATH", known(profile.checkpoint_base_path));
      break;
    case CheckpointStorage::kS3:
      add("DYN_CHECKPOINT_LOCATION", below("/", ".tar", profile.checkpoint_uri));
      break;
    case CheckpointStorage::kOci:
      add("DYN_CHECKPOINT_LOCATION", below(":", "", profile.checkpoint_uri));
      break;
    case CheckpointStorage::kUnknown:
      add("DYN_CHECKPOINT_PATH", {}, false);
      add("DYN_CHECKPOINT_LOCATION", {}, false);
      break;
  }
  add("DYN_CHECKPOINT_HASH", hash);
  if (!profile.checkpoint_restore_marker || !profile.checkpoint_restore_marker->empty()) {
    add("DYN_RESTORE_MARKER_FILE", known(profile.checkpoint_restore_marker),
        profile.checkpoint_restore_marker.has_value());
  }
  add("SKIP_WAIT_FOR_CHECKPOINT", "1");
  return variables.items();
}

void restore_from_checkpoint(const Component& component, Container& container, Arena& arena) {
  run_through_entrypoint(is_certain(component), container, arena);
  container.variables =
      prepended(checkpoint_variables(component, arena), container.variables, arena);
  container.mounts = with_checkpoint_mounts(component, container.mounts, arena);
}

}  // namespace dynamo::render

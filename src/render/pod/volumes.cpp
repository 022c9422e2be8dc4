#include "render/pod/volumes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "render/component/names.hpp"
#include "render/document/limits.hpp"
#include "render/document/overlay.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/checkpoint.hpp"

namespace dynamo::render {
namespace {

// Two of the endpoint picker, shared memory, keys, certificate, checkpoint.
constexpr std::size_t kMaxOwn = 9;

constexpr std::string_view kPickerConfigVolume = "epp-config";
constexpr std::string_view kPickerConfigPath = "/etc/epp";
constexpr std::string_view kPickerCacheVolume = "hf-cache";
// Written in two pieces, because this path in the image looks like one on a developer's machine.
constexpr std::string_view kPickerCachePath =
    "/home/"
    "nonroot/.cache";

std::string_view known(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view{};
}

// A checkpoint job runs on one node.
bool needs_ssh_keys(const Component& component, const Backend& backend, PodRole role) {
  return backend.framework == Framework::kTrtllm && component.is_multinode() &&
         role != PodRole::kCheckpoint;
}

bool is_zero(json::Value quantity) {
  const std::string_view text = quantity.string_or_empty();
  const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
  return quantity.number() == 0.0 ||
         (!number.empty() && number.find_first_not_of("0.") == std::string_view::npos);
}

bool has_shared_memory(const Component& component) {
  if (component.reads_hub) return !is_zero(component.hub["sharedMemorySize"]);
  return !component.service.is_shared_memory_disabled();
}

bool restores_checkpoint(const Component& component, PodRole role) {
  return role != PodRole::kCheckpoint && checkpoint_edits_pods(component) != api::Fact::kNo;
}

Volume picker_config(const Component& component, Arena& arena) {
  const json::Value reference = component.service.endpoint_picker_config()["configMapRef"];
  Volume volume{.name = kPickerConfigVolume,
                .kind = VolumeSource::kConfigMap,
                .key = kEndpointPickerConfigFile};
  const std::string_view name = reference["name"].string_or_empty();
  if (name.empty()) {
    volume.source = endpoint_picker_config_name(component.graph_name).in(arena);
    return volume;
  }
  volume.source = name;
  const std::string_view key = reference["key"].string_or_empty();
  if (!key.empty()) volume.key = key;
  volume.origin = origin_in(Block::kService, "eppConfig.configMapRef");
  return volume;
}

// "" if the operator refuses: a cache without a path, for an engine that has no default.
std::string_view mount_path(json::Value mount, const Backend& backend) {
  const std::string_view path = mount["mountPoint"].string_or_empty();
  if (!path.empty()) return path;
  const bool cache = mount["useAsCompilationCache"].boolean().value_or(false);
  return cache && backend.framework == Framework::kVllm ? kVllmCachePath : std::string_view{};
}

// Here and below, entries that are not objects are skipped; the type rule reports them.
void add_users(json::Value list, const Origin& origin, ArenaList<Mount>& out) {
  std::size_t index = 0;
  for (const json::Value mount : list.elements()) {
    const std::size_t at = index++;
    if (!mount.is_object()) continue;
    out.push({.volume = mount["name"].string_or_empty(),
              .path = mount["mountPath"].string_or_empty(),
              .read_only = mount["readOnly"].boolean().value_or(false),
              .definition = mount,
              .origin = origin.at(at)});
  }
}

// The claim of the compilation cache and its mount; the path is "" if the operator refuses it.
Mount cache_mount(const Component& component, const Backend& backend) {
  const json::Value cache = component.hub["compilationCache"];
  const std::string_view path = cache["mountPath"].string_or_empty();
  const bool has_default = path.empty() && backend.framework == Framework::kVllm;
  return {.volume = cache["pvcName"].string_or_empty(),
          .path = has_default ? kVllmCachePath : path,
          .origin = origin_in(Block::kService, "compilationCache")};
}

const Volume* find_volume(std::span<const Volume> volumes, std::string_view name) {
  const auto found = std::ranges::find(volumes, name, &Volume::name);
  return found == volumes.end() ? nullptr : &*found;
}

// Of later operators: the volumes in the order of the main container's mounts, then the others. A
// claim is added for each mount without a volume.
std::span<const Volume> in_order_of_mounts(std::span<const Volume> volumes,
                                           std::span<const Mount> mounts, Arena& arena) {
  ArenaList<Volume> ordered(arena, volumes.size() + mounts.size());
  for (const Mount& mount : mounts) {
    if (mount.volume.empty() || find_volume(ordered.items(), mount.volume) != nullptr) continue;
    const Volume* const there = find_volume(volumes, mount.volume);
    ordered.push(there != nullptr ? *there
                                  : Volume{.name = mount.volume,
                                           .kind = VolumeSource::kPersistentVolumeClaim,
                                           .source = mount.volume,
                                           .origin = mount.origin});
  }
  for (const Volume& volume : volumes) {
    if (find_volume(ordered.items(), volume.name) == nullptr) ordered.push(volume);
  }
  return ordered.items();
}

// The volumes that the operator adds after those of the user and of shared memory.
void add_operator_volumes(const Component& component, const Backend& backend, PodRole role,
                          ArenaList<Volume>& volumes) {
  if (needs_ssh_keys(component, backend, role)) {
    // The volume is named after the secret.
    const std::string_view secret = known(component.profile->mpi_secret_name);
    volumes.push({.name = secret,
                  .kind = VolumeSource::kSecret,
                  .source = secret,
                  .certain = !secret.empty()});
  }
  if (const std::string_view secret = component.profile->client_tls_secret; !secret.empty()) {
    volumes.push({.name = kClientTlsVolume, .kind = VolumeSource::kSecret, .source = secret});
  }
}

void add_operator_mounts(const Component& component, const Backend& backend, PodRole role,
                         ArenaList<Mount>& mounts) {
  if (needs_ssh_keys(component, backend, role)) {
    const std::string_view secret = known(component.profile->mpi_secret_name);
    mounts.push(
        {.volume = secret, .path = kSshKeyPath, .read_only = true, .certain = !secret.empty()});
  }
  if (!component.profile->client_tls_secret.empty()) {
    mounts.push({.volume = kClientTlsVolume, .path = kClientTlsPath, .read_only = true});
  }
}

// As later operators render the podTemplate: the user's volumes, the compilation cache and shared
// memory, which replaces the user's.
std::span<const Volume> hub_volumes(const Component& component, const Backend& backend,
                                    PodRole role, Arena& arena) {
  const json::Value users = component.pod()["volumes"];
  ArenaList<Volume> volumes(arena, kMaxOwn + list_size(users));
  const bool has_memory = has_shared_memory(component);
  for (const json::Value volume : users.elements()) {
    const std::string_view name = volume["name"].string_or_empty();
    if (!volume.is_object() || (has_memory && name == kSharedMemoryVolume)) continue;
    volumes.push({.name = name, .definition = volume});
  }
  if (volumes.size() == 0 && component.type == ComponentType::kEndpointPicker) {
    volumes.push(picker_config(component, arena));
    volumes.push({.name = kPickerCacheVolume, .kind = VolumeSource::kEmptyDir});
  }
  const Mount cache = cache_mount(component, backend);
  if (!cache.volume.empty() && find_volume(volumes.items(), cache.volume) == nullptr) {
    volumes.push({.name = cache.volume,
                  .kind = VolumeSource::kPersistentVolumeClaim,
                  .source = cache.volume,
                  .origin = cache.origin});
  }
  if (has_memory) {
    volumes.push({.name = kSharedMemoryVolume,
                  .kind = VolumeSource::kMemory,
                  .size = component.hub["sharedMemorySize"],
                  .origin = origin_in(Block::kService, "sharedMemory.size")});
  }
  add_operator_volumes(component, backend, role, volumes);
  return in_order_of_mounts(volumes.items(), main_mounts(component, backend, role, arena), arena);
}

std::span<const Mount> hub_mounts(const Component& component, const Backend& backend, PodRole role,
                                  Arena& arena) {
  const json::Value users = component.main_container()["volumeMounts"];
  ArenaList<Mount> written(arena, list_size(users));
  add_users(users, origin_in(Block::kMainContainer, "volumeMounts"), written);
  ArenaList<Mount> mounts(arena, kMaxOwn + list_size(users));
  const bool has_memory = has_shared_memory(component);
  const Mount cache = cache_mount(component, backend);
  bool mounts_cache = cache.volume.empty();
  for (const Mount& mount : written.items()) {
    const bool is_replaced =
        has_memory && (mount.volume == kSharedMemoryVolume || mount.path == kSharedMemoryPath);
    if (!is_replaced) mounts.push(mount);
    mounts_cache = mounts_cache || (mount.volume == cache.volume && mount.path == cache.path);
  }
  if (written.size() == 0 && component.type == ComponentType::kEndpointPicker) {
    mounts.push({.volume = kPickerConfigVolume, .path = kPickerConfigPath, .read_only = true});
    mounts.push({.volume = kPickerCacheVolume, .path = kPickerCachePath});
  }
  if (!mounts_cache) mounts.push(cache);
  if (has_memory) mounts.push({.volume = kSharedMemoryVolume, .path = kSharedMemoryPath});
  add_operator_mounts(component, backend, role, mounts);
  return mounts.items();
}

}  // namespace

std::span<const Volume> pod_volumes(const Component& component, const Backend& backend,
                                    PodRole role, Arena& arena) {
  if (component.reads_hub) return hub_volumes(component, backend, role, arena);
  const json::Value users = component.pod()["volumes"];
  const json::Value claims = component.service.volume_mounts();
  ArenaList<Volume> volumes(arena, kMaxOwn + list_size(users) + list_size(claims));

  if (list_size(users) > 0) {
    std::size_t index = 0;
    for (const json::Value volume : users.elements()) {
      const std::size_t at = index++;
      if (!volume.is_object()) continue;
      volumes.push({.name = volume["name"].string_or_empty(),
                    .definition = volume,
                    .origin = origin_in(Block::kPod, "volumes").at(at)});
    }
  } else if (component.type == ComponentType::kEndpointPicker) {
    volumes.push(picker_config(component, arena));
    volumes.push({.name = kPickerCacheVolume, .kind = VolumeSource::kEmptyDir});
  }

  std::size_t index = 0;
  for (const json::Value mount : claims.elements()) {
    const std::size_t at = index++;
    if (!mount.is_object()) continue;
    const std::string_view name = mount["name"].string_or_empty();
    volumes.push({.name = name,
                  .kind = VolumeSource::kPersistentVolumeClaim,
                  .source = name,
                  .origin = origin_in(Block::kService, "volumeMounts").at(at)});
  }
  if (has_shared_memory(component)) {
    const json::Value size = component.service.shared_memory_size();
    Volume& volume = volumes.push({.name = kSharedMemoryVolume, .kind = VolumeSource::kMemory});
    if (!is_empty(size)) {
      volume.size = size;
      volume.origin = origin_in(Block::kService, "sharedMemory.size");
    }
  }
  add_operator_volumes(component, backend, role, volumes);
  if (restores_checkpoint(component, role)) {
    for (const CheckpointVolume& volume : checkpoint_volumes(component)) {
      if (!volume.name.empty()) {
        volumes.push({.name = volume.name,
                      .kind = volume.kind,
                      .source = volume.source,
                      .origin = origin_in(Block::kService, "checkpoint"),
                      .certain = volume.certain});
      }
    }
  }
  return volumes.items();
}

std::span<const Mount> main_mounts(const Component& component, const Backend& backend, PodRole role,
                                   Arena& arena) {
  if (component.reads_hub) return hub_mounts(component, backend, role, arena);
  const json::Value users = component.main_container()["volumeMounts"];
  const json::Value claims = component.service.volume_mounts();
  ArenaList<Mount> mounts(arena, kMaxOwn + list_size(users) + list_size(claims));

  if (list_size(users) > 0) {
    add_users(users, origin_in(Block::kMainContainer, "volumeMounts"), mounts);
  } else if (component.type == ComponentType::kEndpointPicker) {
    mounts.push({.volume = kPickerConfigVolume, .path = kPickerConfigPath, .read_only = true});
    mounts.push({.volume = kPickerCacheVolume, .path = kPickerCachePath});
  }

  std::size_t index = 0;
  for (const json::Value mount : claims.elements()) {
    const std::size_t at = index++;
    if (!mount.is_object()) continue;
    mounts.push({.volume = mount["name"].string_or_empty(),
                 .path = mount_path(mount, backend),
                 .origin = origin_in(Block::kService, "volumeMounts").at(at)});
  }
  if (has_shared_memory(component)) {
    mounts.push({.volume = kSharedMemoryVolume, .path = kSharedMemoryPath});
  }
  add_operator_mounts(component, backend, role, mounts);
  return mounts.items();
}

bool needs_mpi_secret(const Component& component) {
  return component.is_multinode() &&
         needs_ssh_keys(component, backend_of(component), PodRole::kMain);
}

std::span<const Mount> plain_mounts(json::Value list, const Origin& origin, Arena& arena) {
  ArenaList<Mount> mounts(arena, list_size(list));
  add_users(list, origin, mounts);
  return mounts.items();
}

}  // namespace dynamo::render

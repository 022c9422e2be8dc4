// The volumes of a pod and the mounts of its main container, the operator's own among them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/backend.hpp"
#include "render/component.hpp"
#include "render/origin.hpp"

namespace dynamo::render {

enum class VolumeSource : std::uint8_t {
  kUser,                   // as `definition` says
  kPersistentVolumeClaim,  // `source` names the claim
  kMemory,                 // emptyDir of medium Memory; `size` limits it, absent: 8Gi
  kEmptyDir,
  kConfigMap,  // `source` names it, `key` is the one file's
  kSecret,     // `source` names it
  kHostPath,   // `source` is the path; made when it is not there
  kPodInfo,    // downwardAPI
};

// `source` is "" where it depends on the operator and is not known.
struct Volume {
  std::string_view name = {};
  VolumeSource kind = VolumeSource::kUser;
  json::Value definition = {};
  std::string_view source = {};
  std::string_view key = {};
  json::Value size = {};
  Origin origin = {};
  // False when it depends on the operator whether the volume is there, or what it is called.
  bool certain = true;
};

// `path` is "" where there is none, or where it depends on the operator and is not known.
struct Mount {
  std::string_view volume = {};
  std::string_view path = {};
  bool read_only = false;
  json::Value definition = {};  // the user's volumeMounts entry of a container, or absent
  Origin origin = {};
  bool certain = true;  // as for volumes
};

// Pod volumes in order: extraPodSpec.volumes (else the base's), one per volumeMounts of the
// service, shared memory, then what engine and checkpoint need.
std::span<const Volume> pod_volumes(const Component& component, const Backend& backend, Role role,
                                    Arena& arena);

// The same order for the mounts of the main container.
std::span<const Mount> main_mounts(const Component& component, const Backend& backend, Role role,
                                   Arena& arena);

// Of a container that is taken as it is written; `list` is its volumeMounts.
std::span<const Mount> plain_mounts(json::Value list, const Origin& origin, Arena& arena);

}  // namespace dynamo::render

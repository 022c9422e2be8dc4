// The volumes of a pod and the mounts of its main container, including the operator's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"
#include "render/pod/backend.hpp"

namespace dynamo::render {

enum class VolumeSource : std::uint8_t {
  kUser,                   // defined by `definition`
  kPersistentVolumeClaim,  // `source` names the claim
  kMemory,                 // emptyDir of medium Memory; `size` is its limit, 8Gi if absent
  kEmptyDir,
  kConfigMap,  // `source` names it, `key` selects the only file
  kSecret,     // `source` names it
  kHostPath,   // `source` is the path, created if it does not exist
  kPodInfo,    // downwardAPI
  kScript,     // the ConfigMap `source`, as a directory
  kPodLabels,  // downwardAPI: the file `key` has the value of the label `source`
};

// `source` is "" if it depends on the operator and is unknown.
struct Volume {
  std::string_view name = {};
  VolumeSource kind = VolumeSource::kUser;
  json::Value definition = {};
  std::string_view source = {};
  std::string_view key = {};
  json::Value size = {};
  Origin origin = {};
  // False if the volume's existence or name depends on the operator.
  bool certain = true;
};

// `path` is "" if there is none, or if it depends on the operator and is unknown.
struct Mount {
  std::string_view volume = {};
  std::string_view path = {};
  bool read_only = false;
  std::string_view sub_path = {};
  std::string_view sub_path_expression = {};
  json::Value definition = {};  // the user's volumeMounts entry of a container, or absent
  Origin origin = {};
  bool certain = true;  // as for volumes
};

// Pod volumes in order: extraPodSpec.volumes (or the base's if empty), one per volumeMounts entry
// of the service, shared memory, then the volumes of engine and checkpoint.
std::span<const Volume> pod_volumes(const Component& component, const Backend& backend,
                                    PodRole role, Arena& arena);

// The mounts of the main container, in the same order.
std::span<const Mount> main_mounts(const Component& component, const Backend& backend, PodRole role,
                                   Arena& arena);

// Whether the component's pods mount the Secret with the MPI keys: TensorRT-LLM on several nodes.
bool needs_mpi_secret(const Component& component);

// The mounts of a container that is used as written; `list` is its volumeMounts.
std::span<const Mount> plain_mounts(json::Value list, const Origin& origin, Arena& arena);

}  // namespace dynamo::render

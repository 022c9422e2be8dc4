// Classifies the resource names of containers: "cpu", "hugepages-2Mi", "nvidia.com/gpu".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dynamo::validators {

enum class ResourceKind : std::uint8_t {
  kNative,     // cpu, memory, ephemeral-storage, or kubernetes.io names; use may exceed the request
  kHugePages,  // hugepages-SIZE
  kExtended,   // DOMAIN/NAME: whole units, not shared
  kNone,       // a name that no container may request
};

ResourceKind resource_kind(std::string_view name);

// The bytes of one page: 2097152 for "hugepages-2Mi". nullopt for another name, or if the size is
// not a whole number of bytes.
std::optional<std::uint64_t> page_size(std::string_view name);

bool is_gpu(std::string_view name);

// Whether the resource is extended and not known to be something else, such as a network card.
bool can_be_gpu(std::string_view name);

}  // namespace dynamo::validators

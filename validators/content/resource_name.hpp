// What the name of a resource of a container says: "cpu", "hugepages-2Mi", "nvidia.com/gpu".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dynamo::validators {

enum class ResourceKind : std::uint8_t {
  kNative,     // cpu, memory, ephemeral-storage, or of kubernetes.io: more may be used than is
               // reserved
  kHugePages,  // hugepages-SIZE
  kExtended,   // DOMAIN/NAME: whole units, which are not shared
  kNone,       // a name that no container may ask for
};

ResourceKind resource_kind(std::string_view name);

// The bytes of one page: 2097152 of "hugepages-2Mi". Nothing for another name, or when there are
// no whole bytes.
std::optional<std::uint64_t> page_size(std::string_view name);

// An extended resource that is a GPU by its name.
bool is_gpu(std::string_view name);

// An extended resource that is not known to be something else, such as a network card.
bool may_be_gpu(std::string_view name);

}  // namespace dynamo::validators

// Deletion propagation: what happens to the dependents of a deleted object.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynamo::kube {

enum class Propagation : std::uint8_t {
  kDefault,     // the server's default for that resource
  kBackground,  // deleted after it
  kForeground,  // deleted before it, if they block its deletion
  kOrphan,      // kept, without the owner reference
};

// As in the API, "Background"; empty for the server's default.
constexpr std::string_view to_string(Propagation propagation) {
  switch (propagation) {
    case Propagation::kBackground:
      return "Background";
    case Propagation::kForeground:
      return "Foreground";
    case Propagation::kOrphan:
      return "Orphan";
    case Propagation::kDefault:
      break;
  }
  return {};
}

}  // namespace dynamo::kube

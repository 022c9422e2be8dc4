// What becomes of the objects that name a deleted one as their owner.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynamo::kube {

enum class Propagation : std::uint8_t {
  kDefault,     // as the server does it for that resource
  kBackground,  // deleted after it
  kForeground,  // deleted before it, if they block its deletion
  kOrphan,      // kept, without their owner
};

// As the API writes it, "Background"; empty for the server's own.
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

// The API versions of the converted kinds.
#pragma once

#include <cstdint>

namespace dynamo::conversion {

enum class Version : std::uint8_t { kV1alpha1, kV1beta1 };

}  // namespace dynamo::conversion

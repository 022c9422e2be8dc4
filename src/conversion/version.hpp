// The API versions of the converted kinds.
#pragma once

#include "api/kind.hpp"

namespace dynamo::conversion {

using api::Version;

}  // namespace dynamo::conversion

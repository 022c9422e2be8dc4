// The account of pods that use the API server.
#pragma once

#include <optional>
#include <string_view>

#include "manifests/desired_object.hpp"

namespace dynamo::render {

// Without an owner it outlives the object that requested it, and an existing one is not changed.
DesiredObject build_service_account(std::string_view name, std::string_view namespace_name,
                                    const std::optional<Owner>& owner);

}  // namespace dynamo::render

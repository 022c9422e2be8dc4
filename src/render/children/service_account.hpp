// The account of pods that ask the API server.
#pragma once

#include <optional>
#include <string_view>

#include "render/children/child.hpp"

namespace dynamo::render {

// Without an owner it outlives whoever asked for it, and is left as it is once it is there.
Child service_account_child(std::string_view name, std::string_view namespace_name,
                            const std::optional<Owner>& owner);

}  // namespace dynamo::render

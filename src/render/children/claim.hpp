// A claim that a graph asks to be made.
#pragma once

#include <optional>

#include "render/children/child.hpp"
#include "render/claims.hpp"

namespace dynamo::render {

std::optional<Refusal> refusal_of(const Claim& claim);

// Nobody rewrites it afterwards. Precondition: it is not refused.
Child claim_child(const Claim& claim, std::string_view namespace_name, const Owner& owner);

}  // namespace dynamo::render

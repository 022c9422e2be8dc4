// A claim that a graph requests.
#pragma once

#include <optional>

#include "manifests/desired_object.hpp"
#include "render/component/claims.hpp"

namespace dynamo::render {

std::optional<Refusal> refusal_of(const Claim& claim);

// The claim is not changed after its creation. Precondition: refusal_of() returned nullopt.
DesiredObject build_claim(const Claim& claim, std::string_view namespace_name, const Owner& owner);

}  // namespace dynamo::render

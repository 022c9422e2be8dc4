// The members of an object sorted by name, in an arena.
#pragma once

#include <span>

#include "json/document.hpp"
#include "render/document/arena.hpp"

namespace dynamo::render {

// See json::sorted_members().
std::span<const json::Member> sorted_members(json::Value object, Arena& arena);

}  // namespace dynamo::render

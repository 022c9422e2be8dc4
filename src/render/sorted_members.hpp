// The members of an object in the order of their names, whatever the order of the text.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "render/arena.hpp"

namespace dynamo::render {

// Sorted by name; of duplicate names the last one counts, as everywhere. What the API server sends
// is sorted already, so this is one pass.
std::vector<json::Member> sorted_members(json::Value object);
// The same in an arena.
std::span<const json::Member> sorted_members(json::Value object, Arena& arena);

// The value of that name in a sorted list, or an absent one. Logarithmic.
json::Value find_member(std::span<const json::Member> members, std::string_view name);

}  // namespace dynamo::render

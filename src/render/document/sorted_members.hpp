// The members of an object sorted by name, regardless of the order in the text.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "render/document/arena.hpp"

namespace dynamo::render {

// For duplicate names the last one counts, as elsewhere. Objects from the API server are already
// sorted, which makes this linear.
std::vector<json::Member> sorted_members(json::Value object);
// The same in an arena.
std::span<const json::Member> sorted_members(json::Value object, Arena& arena);

// The value with that name in a sorted list, or an absent value. Logarithmic.
json::Value find_member(std::span<const json::Member> members, std::string_view name);

}  // namespace dynamo::render

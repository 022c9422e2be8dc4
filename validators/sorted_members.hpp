// The members of an object in the order of their names, whatever the order of the text.
#pragma once

#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::validators {

// Sorted by name; of duplicate names the last one counts, as everywhere. What the API server sends
// is sorted already, so this is one pass.
std::vector<json::Member> sorted_members(json::Value object);

// The value of that name in a sorted list, or an absent one. Logarithmic.
json::Value find_member(const std::vector<json::Member>& members, std::string_view name);

}  // namespace dynamo::validators

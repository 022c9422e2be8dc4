// The members of an object sorted by name, regardless of the order in the text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::json {

// Of equal names, only the last member, which counts. Linear for a wide object, which has an index,
// and for one that is already sorted, as those from the API server are.
std::vector<Member> sorted_members(Value object);

// Writes the same members to the beginning of `sorted`, which holds object.size() of them, and
// returns their number.
std::size_t sort_members(Value object, std::span<Member> sorted);

// The value with that name in a sorted list, or an absent value. Logarithmic.
Value find_member(std::span<const Member> sorted, std::string_view name);

}  // namespace dynamo::json

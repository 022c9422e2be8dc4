// The members of an object, when their order or their repetitions matter.
#pragma once

#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::schema {

// Whether no two members have one name. Allocates only for more than a few members that are not
// sorted by name.
bool names_are_unique(json::Value object);

// The names that occur more than once, sorted.
std::vector<std::string_view> repeated_names(json::Value object);

// Sorted by name; of one name the last member counts.
std::vector<json::Member> sorted_members(json::Value object);

// In the order of the text; of one name the last member counts.
std::vector<json::Member> members_that_count(json::Value object);

}  // namespace dynamo::schema

// The members of an object, for code that depends on their order or on duplicates.
#pragma once

#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::schema {

// Whether all member names differ. Allocates only for more than a few members that are not sorted
// by name.
bool has_unique_names(json::Value object);

// The names that occur more than once, sorted.
std::vector<std::string_view> repeated_names(json::Value object);

// In text order; the last one of duplicates counts.
std::vector<json::Member> members_that_count(json::Value object);

}  // namespace dynamo::schema

// Which element of a list a finding is about, before and after an update: an element that has a
// name is known by it, any other by its place.
#pragma once

#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::validators {

// Whether two rendered paths differ in nothing but the places in lists.
bool same_but_for_places(std::string_view one, std::string_view other);

// For every place in the path (`[3]`) what stands there in the object is called: the element's
// `name`, or "" where it has none or is not there. Views into object and path.
std::vector<std::string_view> names_on_the_way(std::string_view field, json::Value object);

// Whether each element on the way that is called otherwise before and now is the same one with
// another name: the old name is no longer in its list, and the new one was not.
bool only_renamed(std::string_view field, json::Value now, json::Value before);

}  // namespace dynamo::validators

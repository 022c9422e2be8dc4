// Merges of two JSON values: variables, and pods that a user of a later operator overrides.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "json/writer.hpp"

namespace dynamo::render {

// The variables of both lists, sorted by name. Of equal names the last one wins.
std::vector<json::Member> merged_variables(json::Value base, json::Value over);

// The lists whose elements have names. All other lists, and all scalars, are replaced.
struct NamedLists {
  std::span<const std::string_view> merged;         // elements of one name are merged
  std::span<const std::string_view> replaced = {};  // elements of one name are replaced
};

// Objects are merged member by member; `over` wins. The parser bounds the depth of both.
void write_merged(json::Writer& out, json::Value base, json::Value over, const NamedLists& lists);

}  // namespace dynamo::render

// Writes the merge of two JSON values, as later operators merge a pod that a user overrides.
#pragma once

#include <span>
#include <string_view>

#include "json/document.hpp"
#include "json/writer.hpp"

namespace dynamo::render {

// The lists whose elements have names. All other lists, and all scalars, are replaced.
struct NamedLists {
  std::span<const std::string_view> merged;         // elements of one name are merged
  std::span<const std::string_view> replaced = {};  // elements of one name are replaced
};

// Objects are merged member by member; `over` wins. The parser bounds the depth of both.
void write_merged(json::Writer& out, json::Value base, json::Value over, const NamedLists& lists);

}  // namespace dynamo::render

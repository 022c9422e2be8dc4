// Where a cursor stands in a YAML text that is being written and cannot be read yet: by its lines
// and their indentation alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/editor/positions.hpp"

namespace dynamo::cli {

struct CursorContext {
  std::string kind;               // of the document around; empty: it does not say
  std::vector<std::string> path;  // from the root to the object that is written; "[]" for a list
  std::string key;                // whose value is written; empty: a name is
};

// Bounded in lines; for flow style and JSON the path is not known to be right.
CursorContext context_at(const Positions& positions, Position cursor);

}  // namespace dynamo::cli

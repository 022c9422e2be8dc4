// Finds the cursor's place in a YAML text that cannot be parsed yet because it is being edited: by
// lines and indentation alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/editor/positions.hpp"

namespace dynamo::cli {

struct CursorContext {
  std::string api_version;        // of the document; empty: not stated
  std::string kind;               // of the document; empty: not stated
  std::vector<std::string> path;  // from the root to the object being written; "[]" for a list
  std::string key;  // key whose value is being written; empty: a name is being written
};

// Reads a bounded number of lines; in flow style and JSON the path may be wrong.
CursorContext context_at(const Positions& positions, Position cursor);

}  // namespace dynamo::cli

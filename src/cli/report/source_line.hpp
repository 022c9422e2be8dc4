// Prints a line of a manifest or another file, with a mark below the text in question.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/report.hpp"

namespace dynamo::cli {

// Terminal escapes; empty: none.
struct SourceLinePaint {
  std::string_view dim;
  std::string_view mark;
  std::string_view plain;
};

// Appends `   12 |   replicas: -1` and a mark below, two lines; for a long line only the part
// around the mark. Appends nothing if the text of the place is unknown.
void append_source_line(std::string& out, const Place& place, const SourceLinePaint& paint = {});

}  // namespace dynamo::cli

// A line of a manifest or another file as people are shown it, with a mark under what is meant.
#pragma once

#include <string>
#include <string_view>

#include "cli/formats/report.hpp"

namespace dynamo::cli {

// Escapes of a terminal; empty: none.
struct SourceLinePaint {
  std::string_view dim;
  std::string_view mark;
  std::string_view plain;
};

// Appends `   12 |   replicas: -1` and a mark below, two lines; of a long line only what is around
// the mark. Nothing when the text of the place is not known.
void append_source_line(std::string& out, const Place& place, const SourceLinePaint& paint = {});

}  // namespace dynamo::cli

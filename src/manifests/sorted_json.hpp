// Writes JSON with sorted member names, like the operator's own library.
#pragma once

#include "json/document.hpp"
#include "json/writer.hpp"

namespace dynamo::render {

// The recursion is as deep as the value, which the parser limits.
void write_sorted(json::Writer& out, json::Value value);

}  // namespace dynamo::render

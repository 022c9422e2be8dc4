// The keys that the nodes of an engine reach each other by, in the namespace of the graph.
#pragma once

#include <string_view>

#include "render/children/child.hpp"

namespace dynamo::render {

// Type and data of `source`, under its name; nothing else, and never rewritten.
Child secret_copy_child(json::Value source, std::string_view namespace_name);

}  // namespace dynamo::render

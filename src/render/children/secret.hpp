// The SSH keys by which the nodes of an engine reach each other, in the namespace of the graph.
#pragma once

#include <string_view>

#include "render/children/child.hpp"

namespace dynamo::render {

// Copies only type and data of `source`, under its name. The copy is never changed.
Child secret_copy_child(json::Value source, std::string_view namespace_name);

}  // namespace dynamo::render

// The SSH keys by which the nodes of an engine reach each other, in the namespace of the graph.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "render/desired/desired_object.hpp"
#include "render/profile.hpp"

namespace dynamo::render {

// Whether a component of the graph mounts the Secret with the MPI keys. Only such graphs get one.
bool needs_mpi_secret(const api::GraphDeployment& graph, std::string_view namespace_name,
                      const Profile& profile);

// Type and data of `source`, under its name; nothing else, and never rewritten.
DesiredObject build_secret_copy(json::Value source, std::string_view namespace_name);

// The same with labels, for a Secret that no namespace has.
DesiredObject build_generated_secret(json::Value source, std::string_view namespace_name);

}  // namespace dynamo::render

// The SSH keys by which the nodes of an engine reach each other, in the namespace of the graph.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"
#include "render/document/profile.hpp"

namespace dynamo::render {

// Whether a component of the graph mounts the Secret with the MPI keys, so the graph needs one.
bool needs_mpi_secret(const api::GraphDeployment& graph, std::string_view namespace_name,
                      const Profile& profile);

// A Secret with the name, type and data of `source`, which is not updated after its creation.
DesiredObject build_secret_copy(json::Value source, std::string_view namespace_name);

// The same for a generated `source`, with labels.
DesiredObject build_generated_secret(json::Value source, std::string_view namespace_name);

}  // namespace dynamo::render

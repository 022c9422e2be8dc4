// The shell scripts with which TensorRT-LLM runs over several nodes: sshd on the workers, mpirun on
// the leader.
#pragma once

#include <cstdint>
#include <string>

#include "render/arena.hpp"
#include "render/component.hpp"
#include "render/container.hpp"

namespace dynamo::render {

std::string mpi_worker_script();

// `main` is the main container as rendered: its variables are passed on, its command line is what
// runs. Precondition: at most kMostListedNodes nodes and hosts_known(component).
std::string mpi_leader_script(const Component& component, const Container& main, Arena& arena);

// Ranks per node: requests.gpu if it is a whole number above 0, else limits.gpu if that is one,
// else 0.
std::int64_t mpi_ranks_per_node(const Component& component);

}  // namespace dynamo::render

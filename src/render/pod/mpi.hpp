// The shell scripts with which TensorRT-LLM runs over several nodes: sshd on the workers, mpirun on
// the leader.
#pragma once

#include <cstdint>
#include <string>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/pod/container.hpp"

namespace dynamo::render {

std::string mpi_worker_script();

// `main` is the main container as rendered; the script passes its variables on and runs its command
// line. Precondition: at most kMaxListedNodes nodes and are_hosts_known(component).
std::string mpi_leader_script(const Component& component, const Container& main, Arena& arena);

// The ranks per node: requests.gpu if it is a whole number above 0, otherwise limits.gpu if that is
// one, otherwise 0.
std::int64_t mpi_ranks_per_node(const Component& component);

}  // namespace dynamo::render

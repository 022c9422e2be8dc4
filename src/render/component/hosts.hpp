// The host names by which the nodes of one replica reach each other, as texts that the kubelet or a
// shell expands.
#pragma once

#include <cstdint>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"

namespace dynamo::render {

// True only if the component's workload is a scaling group of Grove or a LeaderWorkerSet.
bool are_hosts_known(const Component& component);

std::string_view leader_host(const Component& component, Arena& arena);
// Whether a shell expands the leader's name; otherwise the kubelet does.
bool leader_needs_shell(const Component& component);
// Workers count from 0. In a LeaderWorkerSet a shell must expand the text.
std::string_view worker_host(const Component& component, std::int64_t worker, Arena& arena);
// A worker's rank among the nodes; the leader's rank is 0.
std::string_view worker_rank(const Component& component, Arena& arena);
// Whether a shell expands the rank; otherwise the kubelet does.
bool rank_needs_shell(const Component& component);

}  // namespace dynamo::render

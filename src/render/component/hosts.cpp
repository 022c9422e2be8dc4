#include "render/component/hosts.hpp"

#include "render/component/names.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kLwsLeader = "$LWS_LEADER_ADDRESS";
// Later operators let the kubelet expand it.
constexpr std::string_view kLaterLwsLeader = "$(LWS_LEADER_ADDRESS)";

// Also true for a component that would run in one if the cluster had LeaderWorkerSets.
bool in_leader_worker_set(const Component& component) {
  return workload_of(component) == Workload::kLeaderWorkerSet || runs_alone(component);
}

std::string_view grove_host(const Name& clique, std::string_view pod, Arena& arena) {
  return arena.join({"$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-", clique.in(arena), "-", pod,
                     ".$(GROVE_HEADLESS_SERVICE)"});
}

}  // namespace

bool are_hosts_known(const Component& component) {
  return in_leader_worker_set(component) ||
         workload_of(component) == Workload::kPodCliqueScalingGroup;
}

std::string_view leader_host(const Component& component, Arena& arena) {
  if (in_leader_worker_set(component)) {
    return component.has_later_operator() ? kLaterLwsLeader : kLwsLeader;
  }
  // The engines of one node that share its GPUs have the same pod index on each node.
  const std::string_view pod = component.fixed_rank < 0 ? "0" : "$(GROVE_PCLQ_POD_INDEX)";
  return grove_host(clique_name(component, PodRole::kLeader), pod, arena);
}

bool leader_needs_shell(const Component& component) {
  return in_leader_worker_set(component) && !component.has_later_operator();
}

bool rank_needs_shell(const Component& component) {
  if (component.fixed_rank >= 0) return false;
  return !in_leader_worker_set(component) || !component.has_later_operator();
}

std::string_view worker_host(const Component& component, std::int64_t worker, Arena& arena) {
  if (in_leader_worker_set(component)) {
    // Pods count from 1 there, and their number precedes the first dot.
    const std::string_view number = Name{}.numbered(worker + 1).in(arena);
    return arena.join({"$(echo \"", kLwsLeader, "\" | sed 's/\\./-", number, "\\./')"});
  }
  return grove_host(clique_name(component, PodRole::kWorker), Name{}.numbered(worker).in(arena),
                    arena);
}

std::string_view worker_rank(const Component& component, Arena& arena) {
  if (component.fixed_rank >= 0) return Name{}.numbered(component.fixed_rank).in(arena);
  if (!in_leader_worker_set(component)) return "$((GROVE_PCLQ_POD_INDEX + 1))";
  return component.has_later_operator() ? "$(LWS_WORKER_INDEX)" : "$LWS_WORKER_INDEX";
}

}  // namespace dynamo::render

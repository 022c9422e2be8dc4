// Decides which connections of a loop give up their place or their memory.
#pragma once

#include <atomic>
#include <cstddef>

#include "server/connection_budget.hpp"
#include "server/incidents.hpp"
#include "server/limits.hpp"
#include "server/peer_table.hpp"

namespace dynamo::server {

// Memory of all loops' unfinished bodies and waiting answers.
struct BodyMemory {
  std::atomic<std::size_t> bytes{0};
  // The amount a loop may use without regard to the others; it may use more while the total is
  // below `bound`.
  const std::size_t share_of_loop;
  const std::size_t bound;
};

// A loop's number, and what all loops share, which must outlive it.
struct LoopShare {
  BodyMemory& body_memory;
  PeerTable& table;
  std::size_t number;  // from 0
};

// One per loop, on its thread. Each function may evict connections, but never the one it serves.
class EvictionPolicy {
 public:
  // All must outlive the policy; `budget` has the connections of the loop.
  EvictionPolicy(const ServerLimits& limits, Incidents& incidents, const LoopShare& place,
                 ConnectionBudget& budget)
      : limits_(limits), incidents_(incidents), place_(place), budget_(budget) {}

  // Evicts other connections of the peer of `entry` on this loop while the peer exceeds an active
  // quota over all loops; other loops' sweeps handle theirs.
  void enforce_quota(const BudgetEntry& entry);
  // The same for every peer: one may have exceeded its quota before it was active, or have more of
  // its connections on other loops.
  void enforce_quotas();

  // Evicts the first connection of the peer. One that has just sent something is skipped and
  // becomes the youngest, but only a limited number of times: it may have no request to lose.
  void evict_first_of(const PeerKey& peer);

  // Sets the memory of an unfinished body. Drops others to make room for more.
  void charge_body(BudgetEntry& entry, std::size_t bytes);
  // Sets the memory of a waiting answer, which must not take memory from bodies that flow. False:
  // there is no memory for it.
  bool charge_answer(BudgetEntry& entry, std::size_t bytes);

 private:
  bool are_quotas_active() const;
  void enforce_quota_of(const PeerKey& key, bool quotas_active, const BudgetEntry* spared);
  bool lacks_memory(std::size_t more) const;

  const ServerLimits& limits_;
  Incidents& incidents_;
  const LoopShare place_;
  ConnectionBudget& budget_;
};

}  // namespace dynamo::server

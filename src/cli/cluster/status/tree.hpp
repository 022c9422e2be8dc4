// Arranges a snapshot as a tree for users: graphs, their components, and pods, adapters, models and
// checkpoints of those; requests with their profiling Job and graph; checkpoints with their Job.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cluster/status/snapshot.hpp"
#include "kube/object/conditions.hpp"

namespace dynamo::cli::status {

enum class Health : std::uint8_t { kUnknown, kGood, kWaiting, kBad };
// "unknown", "good", "waiting", "bad".
std::string_view to_string(Health health);

struct StatusNode {
  std::string_view kind = {};  // as in `kind:`; "Service" for a service of a graph
  std::string namespace_name = {};
  std::string name = {};
  std::string state = {};  // one or two words, may be empty
  Health health = Health::kUnknown;
  std::string detail = {};  // "2 of 3 ready"
  std::optional<TimePoint> created = {};
  // Set for a Job only.
  std::optional<TimePoint> started = {};
  std::optional<TimePoint> ended = {};
  // The spec's generation, and the one that the status reports; 0: unknown.
  std::int64_t generation = 0;
  std::int64_t observed_generation = 0;
  std::vector<kube::Condition> conditions = {};  // at most kMaxConditions
  std::vector<EventSummary> events = {};         // the latest first, at most kMaxEvents
  std::vector<StatusNode> children = {};
  // Pods that are omitted from `children`, and their states: "979 ready, 1 Pending".
  std::size_t omitted_pods = 0;
  std::string omitted_states = {};

  // The controller has not reconciled the last change: state and counts describe an earlier spec.
  bool is_stale() const { return observed_generation != 0 && observed_generation < generation; }
  // A stale status cannot prove good health.
  Health shown_health() const {
    return is_stale() && health == Health::kGood ? Health::kWaiting : health;
  }
};

inline constexpr std::size_t kMaxConditions = 16;
inline constexpr std::size_t kMaxEvents = 3;

struct StatusTree {
  std::vector<StatusNode> roots = {};  // by namespace, graphs first, then by name
  std::size_t omitted_roots = 0;
  std::vector<TerminatingNamespace> terminating_namespaces = {};
  std::vector<std::string> notes = {};  // what could not be read, one line each
};

struct TreeLimits {
  std::size_t roots = 500;
  std::size_t pods = 10;  // per component; unhealthy ones first
};

// False for a condition that reports trouble: "Ready" that is not True, "ReplicaFailure" that is
// not False.
bool is_as_expected(const kube::Condition& condition);

// An empty `name` selects everything. Otherwise it selects the graph of that name with everything
// below it, and the request of that name, or, if no such graph exists, every object of that name.
// No roots if none exists.
StatusTree make_tree(const Snapshot& seen, std::string_view name, const TreeLimits& limits);

}  // namespace dynamo::cli::status

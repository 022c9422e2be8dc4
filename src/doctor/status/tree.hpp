// The objects of a snapshot as people think of them: a graph, its components, and their pods,
// adapters, models and checkpoints. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/status/snapshot.hpp"
#include "kube/conditions.hpp"

namespace dynamo::doctor::status {

enum class Health : std::uint8_t { kUnknown, kGood, kWaiting, kBad };
// "unknown", "good", "waiting", "bad".
std::string_view to_string(Health health);

struct Node {
  std::string_view kind = {};  // as in `kind:`; "Service" for one of a graph
  std::string namespace_name = {};
  std::string name = {};
  std::string state = {};  // one or two words, may be empty
  Health health = Health::kUnknown;
  std::string detail = {};  // "2 of 3 ready"
  std::optional<TimePoint> created = {};
  // Of the spec, and of the one that the status is about; 0: not known.
  std::int64_t generation = 0;
  std::int64_t observed_generation = 0;
  std::vector<kube::Condition> conditions = {};  // at most kMostConditions
  std::vector<Event> events = {};                // the last ones first, at most kMostEvents
  std::vector<Node> children = {};
  // Pods that are left out of `children`, and what becomes of them: "979 ready, 1 Pending".
  std::size_t omitted_pods = 0;
  std::string omitted_states = {};

  // The controller has not reconciled the last change: state and counts are of an earlier spec.
  bool is_stale() const { return observed_generation != 0 && observed_generation < generation; }
  // A stale status proves nothing good.
  Health shown_health() const {
    return is_stale() && health == Health::kGood ? Health::kWaiting : health;
  }
};

inline constexpr std::size_t kMostConditions = 16;
inline constexpr std::size_t kMostEvents = 3;

struct Tree {
  std::vector<Node> roots = {};  // by namespace, graphs first, then by name
  std::size_t omitted_roots = 0;
  std::vector<TerminatingNamespace> terminating_namespaces = {};
  std::vector<std::string> notes = {};  // what could not be looked at, a line each
};

struct Limits {
  std::size_t roots = 500;
  std::size_t pods = 10;  // of one component; those in trouble first
};

// False for a condition that reports trouble: "Ready" that is not True, "ReplicaFailure" that is
// not False.
bool is_as_expected(const kube::Condition& condition);

// `name` empty: everything; else the graph of that name with all below it, and without such a graph
// any object of that name. No roots: there is none.
Tree make_tree(const Snapshot& seen, std::string_view name, const Limits& limits);

}  // namespace dynamo::doctor::status

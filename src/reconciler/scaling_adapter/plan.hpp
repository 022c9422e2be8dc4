// What a ScalingAdapter asks of its graph, as actions. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.hpp"
#include "kube/resource.hpp"
#include "reconciler/action.hpp"

namespace dynamo::reconciler::scaling_adapter {

inline constexpr kube::Resource kScalingAdapters{"nvidia.com", "v1alpha1",
                                                 "dynamographdeploymentscalingadapters",
                                                 "DynamoGraphDeploymentScalingAdapter"};

struct Seen {
  const kube::Object& adapter;
  const kube::Object* graph = nullptr;  // that its dgdRef names; null: there is none
  const kube::Object* rival = nullptr;  // that scales the service in its place; null: none does
  std::string_view told = {};  // what stood in its way at the pass before: Plan::told of that
};

struct Plan {
  // In their order; after the first that fails no other is done.
  std::vector<Action> actions = {};
  // The adapter cannot do its work yet: who it belongs to is missing. Tried again after a back-off,
  // and as soon as the graph changes. One line for the log; empty: nothing is missing.
  std::string missing = {};
  // What stands in its way, as the event of it says; empty: nothing does. The status has no place
  // for it, so whoever runs the plan remembers it, and the event comes once.
  std::string told = {};
  // Its graph is given a number of replicas.
  bool scales = false;
};

// The number goes from the adapter to the graph and never back: the adapter's spec belongs to
// whoever scales it, and no action touches it. So a number that an autoscaler writes while this one
// is on its way is not lost, it is the next one. The graph is written at the version that was seen:
// a service that was removed meanwhile is not made anew. Never throws for any objects; all actions
// are in the adapter's namespace. Why it is so: docs/adr/0032.
Plan plan(const Seen& seen, std::chrono::system_clock::time_point now);

// The event that tells why the graph could not be scaled.
Action update_failed(const kube::Object& adapter, std::string_view why);

// Both name the same service of the same graph, and it is `other` that scales it: the one that its
// graph controls, else the older one, else by name. Who cannot be followed, or goes, scales
// nothing.
bool goes_before(const kube::Object& other, const kube::Object& adapter);
// Both name the same service of the same graph.
bool are_rivals(const kube::Object& one, const kube::Object& other);

// The name of the graph; empty: the adapter names none.
std::string graph_of(const kube::Object& adapter);

}  // namespace dynamo::reconciler::scaling_adapter

// Plans the actions for a ScalingAdapter. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "desired/action.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::reconciler::scaling_adapter {

inline constexpr kube::Resource kScalingAdapters{"nvidia.com", "v1alpha1",
                                                 "dynamographdeploymentscalingadapters",
                                                 "DynamoGraphDeploymentScalingAdapter"};

struct ObservedState {
  const kube::Object& adapter;
  const kube::Object* graph = nullptr;  // the graph of dgdRef; null: it does not exist
  const kube::Object* rival = nullptr;  // the adapter that scales the service instead; null: none
  // The reported problem: AdapterPlan::reported of the previous reconcile.
  std::string_view reported = {};
};

struct AdapterPlan {
  // In order; executed up to the first failure.
  std::vector<Action> actions = {};
  // The graph or service of the adapter does not exist yet. Retried with back-off, and as soon as
  // the graph changes. One line for the log; empty: nothing is missing.
  std::string missing = {};
  // The problem, as its event reports it; empty: none. The status has no field for it, so the
  // caller remembers it, and the event is emitted once.
  std::string reported = {};
  // The plan writes a replica count to the graph.
  bool scales = false;
};

// The count is copied from the adapter to the graph and never back: the adapter's spec belongs to
// the autoscaler, and no action writes it. A count that the autoscaler writes during a reconcile is
// not lost, but becomes the next one. The graph is written at the observed version, so a
// concurrently removed service is not recreated. Never throws for any objects; all actions are in
// the adapter's namespace. Background: ADR 33.
AdapterPlan plan(const ObservedState& observed, std::chrono::system_clock::time_point now);

// The event that reports why the graph could not be scaled.
EmitEvent update_failed(const kube::Object& adapter, std::string_view why);

// Both name the same service of the same graph, and `other` scales it: the one that the graph
// controls, otherwise the older one, otherwise the first by name. An adapter with an invalid spec
// or under deletion scales nothing.
bool takes_precedence(const kube::Object& other, const kube::Object& adapter);
// Both name the same service of the same graph.
bool are_rivals(const kube::Object& one, const kube::Object& other);

// The name of the graph; empty: the adapter names none.
std::string graph_of(const kube::Object& adapter);

}  // namespace dynamo::reconciler::scaling_adapter

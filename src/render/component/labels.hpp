// Labels and annotations of pods, workloads and Services, with their origins.
#pragma once

#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"

namespace dynamo::render {

// A label or an annotation. `value` is "" if the user's value is not a text.
struct Label {
  std::string_view key = {};
  std::string_view value = {};
  Origin origin = {};
  bool certain = true;  // false if it depends on unknown facts about the operator or the cluster
};

// The labels of a role's pods. In a Deployment or LeaderWorkerSet: those of the component,
// overridden by extraPodMetadata's. In a PodClique: also the user's `labels`. If the workload is
// unknown: as in a Deployment, with the user's `labels` marked uncertain. This and the other lists
// are sorted by key, with one entry per key.
std::span<const Label> pod_labels(const Component& component, PodRole role, Arena& arena);

// The label by which a Deployment selects its pods; pod_labels must contain it.
Label selector_label(const Component& component, Arena& arena);

// The user's annotations that reach the pods, and the group of a LeaderWorkerSet's first replica.
std::span<const Label> pod_annotations(const Component& component, Arena& arena);

// The labels of the Services, except the model's.
std::span<const Label> service_labels(const Component& component, Arena& arena);

// The labels and annotations of the Deployment or LeaderWorkerSets.
std::span<const Label> workload_labels(const Component& component, Arena& arena);
std::span<const Label> workload_annotations(const Component& component, Arena& arena);

// The queue of KAI that schedules the pods of a graph with these annotations.
std::string_view queue_of(json::Value graph_annotations);

// Null if there is none. Binary search.
const Label* find_label(std::span<const Label> sorted, std::string_view key);

}  // namespace dynamo::render

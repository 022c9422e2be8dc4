// Labels and annotations of pods, workloads and Services, with where each came from.
#pragma once

#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/component.hpp"
#include "render/origin.hpp"

namespace dynamo::render {

// A label or an annotation. `value` is "" for the user's entries that are no text.
struct Label {
  std::string_view key = {};
  std::string_view value = {};
  Origin origin = {};
  bool certain = true;  // false when it depends on what is not known of the operator or the cluster
};

// All are sorted by key, of equal keys the one that wins. Labels of a role's pods: in a Deployment
// or LeaderWorkerSet those of the component under extraPodMetadata's; in a PodClique the user's
// `labels` as well. When the workload is not known: as in a Deployment, with the user's `labels`
// as uncertain ones.
std::span<const Label> pod_labels(const Component& component, Role role, Arena& arena);

// What a Deployment selects its pods by; pod_labels must carry it.
Label selector_label(const Component& component, Arena& arena);

// The user's annotations that reach the pods, and the group of a LeaderWorkerSet's first replica.
std::span<const Label> pod_annotations(const Component& component, Arena& arena);

// Of the Services, but for the model's.
std::span<const Label> service_labels(const Component& component, Arena& arena);

// Of the Deployment or LeaderWorkerSets.
std::span<const Label> workload_labels(const Component& component, Arena& arena);
std::span<const Label> workload_annotations(const Component& component, Arena& arena);

// Null when there is none. Binary search.
const Label* find_label(std::span<const Label> sorted, std::string_view key);

}  // namespace dynamo::render

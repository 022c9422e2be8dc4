// The node groups of a multinode component, one per replica: a LeaderWorkerSet, and Volcano's
// PodGroup, which starts all of the pods or none.
#pragma once

#include <cstdint>
#include <optional>

#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// `replica` counts from 0.
DesiredObject build_pod_group(const Component& component, std::int64_t replica, const Owner& owner,
                              Arena& arena);

// The missing requirements of a group, beyond those of every pod.
std::optional<Refusal> group_refusal_of(const Component& component, const api::FieldPath& path,
                                        Arena& arena);

// Precondition: neither its pods nor the group are refused.
DesiredObject build_leader_worker_set(const Component& component, std::int64_t replica,
                                      const Owner& owner, const RenderEnvironment& environment,
                                      Arena& arena);

}  // namespace dynamo::render

// Finds out why pods of a group are refused. The status of a LeaderWorkerSet and of its
// StatefulSets does not show the reason; their events do.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/object/error.hpp"
#include "kube/object/object.hpp"
#include "reconciler/component/observed.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler::component {

// Limit of groups that are checked; further ones are not reported.
inline constexpr std::size_t kMaxAskedGroups = 3;
// Limit of a reported reason, in bytes.
inline constexpr std::size_t kMaxOfRefusal = 400;

// The component's LeaderWorkerSets with fewer ready groups than desired, by name. Pure.
std::vector<std::string> late_groups(const ObservedObjects& objects, std::string_view uid);

// Whether it has created fewer pods than desired. Pure.
bool lacks_pods(const kube::Object& stateful_set);

// The latest reason, in the words of the component that refused the pod; "" without events. Pure.
std::string newest_refusal(std::span<const kube::Object> events);

// Reads the StatefulSets of these groups that lack pods, and the reason. By group name; groups that
// are not refused are omitted. At most two reads and a list per group. On the loop's thread.
aio::Task<kube::Result<std::map<std::string, std::string>>> refusals_of(
    std::vector<std::string> groups, std::string namespace_name, ReconcileContext& context);

}  // namespace dynamo::reconciler::component

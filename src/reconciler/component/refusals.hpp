// Why the pods of groups are not let in: the status of a LeaderWorkerSet does not tell, and neither
// does that of its StatefulSets; their events do.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/error.hpp"
#include "kube/object.hpp"
#include "reconciler/component/observed.hpp"
#include "reconciler/controller.hpp"

namespace dynamo::reconciler::component {

// Of so many groups it is asked; who is refused more is told of these.
inline constexpr std::size_t kMostAskedGroups = 3;
// Of what refuses pods so many bytes are told.
inline constexpr std::size_t kMostOfRefusal = 400;

// The component's LeaderWorkerSets that have fewer groups ready than they ask for, by name. Pure.
std::vector<std::string> late_groups(const Seen& seen, std::string_view uid);

// It has made fewer pods than it asks for. Pure.
bool lacks_pods(const kube::Object& stateful_set);

// What was told last, in the words of whoever refused; "" of no events. Pure.
std::string newest_refusal(std::span<const kube::Object> events);

// Asks for the StatefulSets of these groups that lack pods, and for why. By the name of the group;
// those that nobody refuses are left out. Two reads and a list for each at most. On the loop's
// thread.
aio::Task<kube::Result<std::map<std::string, std::string>>> refusals_of(
    std::vector<std::string> groups, std::string namespace_name, Pass& pass);

}  // namespace dynamo::reconciler::component

#include "reconciler/component/refusals.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kube/object/object_meta.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler::component {
namespace {

constexpr kube::Resource kStatefulSets{"apps", "v1", "statefulsets", "StatefulSet"};
// Events of one object and one reason are few: their emitter aggregates similar ones.
constexpr std::size_t kMaxOfEvents = std::size_t{1} << 20U;

// The greatest value belongs to the latest event.
std::string_view time_of(json::Value event) {
  return std::max({event["series"]["lastObservedTime"].string_or_empty(),
                   event["deprecatedLastTimestamp"].string_or_empty(),
                   event["eventTime"].string_or_empty()});
}

// "create Pod w-0-0 in StatefulSet w-0 failed error: pods ... is forbidden: ...": returns the API
// server's message at the end.
std::string_view message_of_server(std::string_view note) {
  constexpr std::string_view kBefore = " failed error: ";
  const std::size_t at = note.find(kBefore);
  return at == std::string_view::npos ? note : note.substr(at + kBefore.size());
}

// For the StatefulSet of that name; "" if it does not exist, or has its pods.
aio::Task<kube::Result<std::string>> refusal_of(std::string stateful_set,
                                                std::string namespace_name,
                                                ReconcileContext& context) {
  const kube::ObjectKey key{.namespace_name = namespace_name, .name = std::move(stateful_set)};
  const auto found = co_await context.read(kStatefulSets, key);
  if (!found && found.error().is("NotFound")) co_return std::string();
  if (!found) co_return found.error();
  if (!lacks_pods(*found)) co_return std::string();
  kube::ListOptions options;
  options.field_selector = "reason=FailedCreate,regarding.uid=" + std::string(found->uid());
  options.most_bytes = kMaxOfEvents;
  const auto events = co_await context.list(kube::kEvents, std::move(namespace_name), options);
  if (!events) co_return events.error();
  co_return newest_refusal(events->items);
}

}  // namespace

std::vector<std::string> late_groups(const ObservedObjects& objects, std::string_view uid) {
  std::vector<std::string> late;
  for (const auto& [name, group] : objects.all("LeaderWorkerSet")) {
    if (!kube::is_owned_by(group, uid) || kube::is_terminating(group)) continue;
    const json::Value root = group.root();
    const std::int64_t wanted = root["spec"]["replicas"].integer().value_or(1);
    if (root["status"]["readyReplicas"].integer().value_or(0) < wanted) late.push_back(name);
  }
  return late;
}

bool lacks_pods(const kube::Object& stateful_set) {
  const json::Value root = stateful_set.root();
  return root["status"]["replicas"].integer().value_or(0) <
         root["spec"]["replicas"].integer().value_or(1);
}

std::string newest_refusal(std::span<const kube::Object> events) {
  const auto newest = std::ranges::max_element(
      events, {}, [](const kube::Object& event) { return time_of(event.root()); });
  if (newest == events.end()) return {};
  std::string message;
  text::append_presentable(message, message_of_server(newest->root()["note"].string_or_empty()),
                           kMaxOfRefusal);
  return message;
}

aio::Task<kube::Result<std::map<std::string, std::string>>> refusals_of(
    std::vector<std::string> groups, std::string namespace_name, ReconcileContext& context) {
  std::map<std::string, std::string> refusals;
  groups.resize(std::min(groups.size(), kMaxAskedGroups));
  for (const std::string& group : groups) {
    // The leader's StatefulSet has the group's name, and the workers' StatefulSet has the name of
    // the leader pod.
    for (const std::string& name : {group, group + "-0"}) {
      auto refusal = co_await refusal_of(name, namespace_name, context);
      if (!refusal) co_return refusal.error();
      if (refusal->empty()) continue;
      refusals.emplace(group, *std::move(refusal));
      break;
    }
  }
  co_return refusals;
}

}  // namespace dynamo::reconciler::component

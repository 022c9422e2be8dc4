#include "render/component/restart.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "json/sorted_members.hpp"

namespace dynamo::render {
namespace {

std::vector<std::string> services_of(const api::GraphDeployment& graph) {
  std::vector<std::string> names;
  const json::Value services = graph.services();
  for (const json::Member& service : json::sorted_members(services))
    names.emplace_back(service.name);
  return names;
}

// The services in the order of their restart.
std::vector<std::string> order_of(const api::GraphDeployment& graph) {
  const json::Value given = graph.restart_order();
  if (given.size() == 0) return services_of(graph);
  std::vector<std::string> names;
  for (const json::Value name : given.elements()) names.emplace_back(name.string_or_empty());
  return names;
}

// The number of services whose restart has begun: up to the last one in progress, or the first one
// if none is.
std::size_t begun(const std::vector<std::string>& order, json::Value in_progress) {
  if (in_progress.size() == 0) return std::min<std::size_t>(order.size(), 1);
  std::size_t count = 0;
  for (const json::Value name : in_progress.elements()) {
    const auto at = std::ranges::find(order, name.string_or_empty());
    if (at == order.end()) continue;
    count = std::max(count, static_cast<std::size_t>(at - order.begin()) + 1);
  }
  return count;
}

RestartStatus read_status(json::Value status) {
  RestartStatus read{.id = std::string(status["observedID"].string_or_empty()),
                     .phase = std::string(status["phase"].string_or_empty())};
  for (const json::Value name : status["inProgress"].elements()) {
    read.in_progress.emplace_back(name.string_or_empty());
  }
  return read;
}

RestartStatus restarting(std::string_view id, std::vector<std::string> in_progress) {
  const bool none = in_progress.empty();
  return {.id = std::string(id),
          .phase = none ? "Completed" : "Restarting",
          .in_progress = std::move(in_progress)};
}

using UpdatedPredicate = std::function<bool(std::string_view)>;

// A parallel restart: services that are not updated yet stay in progress.
RestartStatus next_of_all(const api::GraphDeployment& graph, std::string_view id,
                          const RestartStatus& now, const UpdatedPredicate& updated) {
  if (now.id != id) return restarting(id, services_of(graph));
  std::vector<std::string> left = now.in_progress.empty() ? services_of(graph) : now.in_progress;
  // A service that was removed from the graph will never report that it is updated.
  std::erase_if(left, [&](const std::string& name) {
    return updated(name) || !graph.services()[name].exists();
  });
  return restarting(id, std::move(left));
}

// A sequential restart.
RestartStatus next_in_order(const api::GraphDeployment& graph, std::string_view id,
                            const RestartStatus& now, const UpdatedPredicate& updated) {
  const std::vector<std::string> order = order_of(graph);
  if (now.id != id || now.in_progress.empty()) {
    if (order.empty()) return restarting(id, {});
    return restarting(id, {order.front()});
  }
  const std::string& current = now.in_progress.front();
  // If the current service was removed, start again with the first one; services that are already
  // updated are skipped.
  if (!graph.services()[current].exists()) {
    return restarting(id, order.empty() ? order : std::vector<std::string>{order.front()});
  }
  if (!updated(current)) return now;
  const auto at = std::ranges::find(order, current);
  if (at == order.end() || at + 1 == order.end()) return restarting(id, {});
  return restarting(id, {*(at + 1)});
}

}  // namespace

std::optional<RestartStatus> restart_status(const api::GraphDeployment& graph, json::Value status,
                                            const UpdatedPredicate& updated) {
  const std::string_view asked = graph.restart()["id"].string_or_empty();
  const RestartStatus now = read_status(status);
  const bool ended = now.phase == "Completed" || now.phase == "Failed";
  if (asked.empty()) return ended ? std::optional(now) : std::nullopt;
  if (ended && now.id == asked) return now;
  const bool parallel = graph.restart()["strategy"]["type"].string_or_empty() == "Parallel";
  return parallel ? next_of_all(graph, asked, now, updated)
                  : next_in_order(graph, asked, now, updated);
}

RestartSelection restart_selection(const api::GraphDeployment& graph, json::Value status) {
  if (status.is_nothing()) return {};
  const std::string_view seen = status["observedID"].string_or_empty();
  const std::string_view asked = graph.restart()["id"].string_or_empty();
  if (asked.empty()) {
    if (seen.empty()) return {};
    return {std::string(seen), services_of(graph)};
  }
  const bool same = asked == seen;
  const bool completed = same && status["phase"].string_or_empty() == "Completed";
  const bool parallel = graph.restart()["strategy"]["type"].string_or_empty() == "Parallel";
  RestartSelection selection{.value = std::string(asked)};
  if (completed || parallel) {
    selection.services = services_of(graph);
    return selection;
  }
  selection.services = order_of(graph);
  // A failed restart begins again from the first service.
  const bool runs = same && status["phase"].string_or_empty() == "Restarting";
  selection.services.resize(begun(selection.services, runs ? status["inProgress"] : json::Value{}));
  std::ranges::sort(selection.services);
  return selection;
}

}  // namespace dynamo::render

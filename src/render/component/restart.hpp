// Selects the services of a graph that carry the id of a restart, so that their pods are replaced.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"

namespace dynamo::render {

// A graph's status.restart.
struct RestartStatus {
  std::string id = {};                        // observedID
  std::string phase = {};                     // "Restarting", "Completed" or another stored phase
  std::vector<std::string> in_progress = {};  // one service, or several if all restart in parallel
  bool operator==(const RestartStatus&) const = default;
};

// Computes the next status.restart of the graph from the current `status`. `updated` returns
// whether a service runs its latest desired state. nullopt if no restart was requested and none is
// recorded.
std::optional<RestartStatus> restart_status(
    const api::GraphDeployment& graph, json::Value status,
    const std::function<bool(std::string_view service)>& updated);

struct RestartSelection {
  std::string value = {};                  // the restart's id; "" if no service carries one
  std::vector<std::string> services = {};  // sorted
};

// Computes the selection from the graph's restart request and its status.restart; empty without a
// status. Services that are not listed keep the id that they carry.
RestartSelection restart_selection(const api::GraphDeployment& graph, json::Value status);

}  // namespace dynamo::render

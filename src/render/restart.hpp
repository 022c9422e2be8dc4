// Which services of a graph carry the id of a restart, so that their pods are rolled.
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
  std::string phase = {};                     // "Restarting", "Completed", or what was there
  std::vector<std::string> in_progress = {};  // one of them, or where all restart at once many
  bool operator==(const RestartStatus&) const = default;
};

// What follows on `status`, the graph's status.restart as it is. `updated` says whether a service
// runs what was last asked of it. Nothing where no restart was asked for and none is remembered.
std::optional<RestartStatus> restart_status(
    const api::GraphDeployment& graph, json::Value status,
    const std::function<bool(std::string_view service)>& updated);

struct RestartState {
  std::string value = {};                  // the restart's id; "" when nobody carries one
  std::vector<std::string> services = {};  // sorted
};

// From what the graph asks for and `status`, its status.restart; nobody without a status. Services
// that are not named keep what they carry.
RestartState restart_state(const api::GraphDeployment& graph, json::Value status);

}  // namespace dynamo::render

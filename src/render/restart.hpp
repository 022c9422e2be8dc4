// Which services of a graph carry the id of a restart, so that their pods are rolled.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/objects.hpp"

namespace dynamo::render {

struct RestartState {
  std::string value = {};                  // the restart's id; "" when nobody carries one
  std::vector<std::string> services = {};  // sorted
};

// From what the graph asks for and `status`, its status.restart; nobody without a status. Services
// that are not named keep what they carry.
RestartState restart_state(const api::GraphDeployment& graph, json::Value status);

}  // namespace dynamo::render

// DYN_DEPLOYMENT_CONFIG: a variable with JSON by service, in which older manifests say how many
// replicas there are and what they need.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

inline constexpr std::string_view kLegacyConfigVariable = "DYN_DEPLOYMENT_CONFIG";

// What it says of one service. The values lie in the configuration's document.
struct LegacyService {
  std::optional<std::int64_t> workers = std::nullopt;
  json::Value cpu = {};
  json::Value memory = {};
  json::Value gpu = {};
  json::Value custom = {};
};

// Names are found without regard to case; that of the service is exact.
LegacyService legacy_service(json::Value config, std::string_view service);

// The configuration as a frontend gets it: compact, with sorted names, and its own port, where it
// names one.
std::string legacy_config_of_frontend(json::Value config, std::string_view service);

}  // namespace dynamo::render

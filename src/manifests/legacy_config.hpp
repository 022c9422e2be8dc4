// DYN_DEPLOYMENT_CONFIG: a variable with JSON per service, in which older manifests set replicas
// and resources.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

inline constexpr std::string_view kLegacyConfigVariable = "DYN_DEPLOYMENT_CONFIG";

// The settings of one service. The values are in the configuration's document.
struct LegacyService {
  std::optional<std::int64_t> workers = std::nullopt;
  json::Value cpu = {};
  json::Value memory = {};
  json::Value gpu = {};
  json::Value custom = {};
};

// Member names are case-insensitive; the service's name must match exactly.
LegacyService legacy_service(json::Value config, std::string_view service);

// The configuration as a frontend receives it: compact, with sorted names, and with its own port if
// it names one.
std::string legacy_config_of_frontend(json::Value config, std::string_view service);

}  // namespace dynamo::render

#include "manifests/readiness.hpp"

#include <cstdint>
#include <string_view>

namespace dynamo::render {
namespace {

bool has_condition(json::Value status, std::string_view type) {
  for (const json::Value condition : status["conditions"].elements()) {
    if (condition["type"].string_or_empty() == type) {
      return condition["status"].string_or_empty() == "True";
    }
  }
  return false;
}

}  // namespace

bool is_deployment_ready(json::Value live) {
  const json::Value spec = live["spec"];
  const json::Value status = live["status"];
  if (spec["paused"].boolean().value_or(false)) return false;
  const std::int64_t wanted = spec["replicas"].integer().value_or(1);
  if (wanted == 0) return true;
  const auto count = [&status](std::string_view name) {
    return status[name].integer().value_or(0);
  };
  const std::int64_t generation = live["metadata"]["generation"].integer().value_or(0);
  return count("observedGeneration") >= generation && count("updatedReplicas") >= wanted &&
         count("availableReplicas") >= wanted && count("replicas") == wanted &&
         has_condition(status, "Available");
}

}  // namespace dynamo::render

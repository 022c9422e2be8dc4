#include "desired/kept_job.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynamo::reconciler {
namespace {

// The state or phase in which the Job is final; "" in others.
std::string_view final_state_of(api::Kind kind, json::Value status) {
  constexpr auto kStates =
      std::to_array<std::string_view>({"Profiling", "Deploying", "Ready", "DeploymentDeleted"});
  constexpr auto kPhases = std::to_array<std::string_view>({"Creating", "Ready"});
  if (kind == api::Kind::kGraphDeploymentRequest) {
    const auto* const found = std::ranges::find(kStates, status["state"].string_or_empty());
    return found == kStates.end() ? std::string_view{} : *found;
  }
  if (kind != api::Kind::kCheckpoint) return {};
  const auto* const found = std::ranges::find(kPhases, status["phase"].string_or_empty());
  return found == kPhases.end() ? std::string_view{} : *found;
}

}  // namespace

std::string remove_kept_job(api::Kind kind, json::Value stored,
                            std::vector<render::TreeChange>& changes) {
  const std::string_view state = final_state_of(kind, stored["status"]);
  if (state.empty()) return {};
  std::string line;
  std::erase_if(changes, [&](const render::TreeChange& change) {
    if (change.kind != "Job") return false;
    line = std::string(api::names(kind).name) + " " +
           std::string(stored["metadata"]["name"].string_or_empty()) + " is " + std::string(state) +
           ": its Job " + change.name + " stays unchanged";
    return true;
  });
  return line;
}

}  // namespace dynamo::reconciler

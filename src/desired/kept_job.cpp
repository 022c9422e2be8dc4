#include "desired/kept_job.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynamo::reconciler {
namespace {

// The state of a request, in v1beta1 its phase, or the phase of a checkpoint; "" if it has none.
std::string_view state_of(api::Kind kind, json::Value status) {
  const bool has_state = kind == api::Kind::kGraphDeploymentRequest && status["state"].is_string();
  if (has_state) return status["state"].string_or_empty();
  if (kind == api::Kind::kGraphDeploymentRequest || kind == api::Kind::kCheckpoint)
    return status["phase"].string_or_empty();
  return {};
}

// Whether the Job is final in this state or phase.
bool is_final(api::Kind kind, std::string_view state) {
  constexpr auto kStates = std::to_array<std::string_view>(
      {"Profiling", "Deploying", "Deployed", "Ready", "DeploymentDeleted"});
  constexpr auto kPhases = std::to_array<std::string_view>({"Creating", "Ready"});
  if (kind == api::Kind::kGraphDeploymentRequest) {
    return std::ranges::find(kStates, state) != kStates.end();
  }
  return std::ranges::find(kPhases, state) != kPhases.end();
}

}  // namespace

std::string remove_kept_job(api::Kind kind, json::Value stored,
                            std::vector<render::TreeChange>& changes) {
  const std::string_view state = state_of(kind, stored["status"]);
  if (!is_final(kind, state)) return {};
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

void mark_created_job(api::Kind kind, json::Value stored,
                      std::vector<render::TreeChange>& changes) {
  const std::string_view state = state_of(kind, stored["status"]);
  if (state != "Pending" && state != "Failed") return;
  for (render::TreeChange& change : changes) {
    if (change.kind == "Job" && change.operation == render::TreeChange::Operation::kUpdate) {
      change.operation = render::TreeChange::Operation::kCreate;
    }
  }
}

}  // namespace dynamo::reconciler

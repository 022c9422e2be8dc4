#include "tests/controller_cases/runner.hpp"

#include <algorithm>
#include <array>

namespace dynamo::cases {
namespace {

constexpr std::array<RunnerRow, 6> kRunners = {{
    {"dgd", "DynamoGraphDeployment", false, true, false, run_graph},
    {"dcd", "DynamoComponentDeployment", true, true, false, run_component},
    {"dm", "DynamoModel", true, true, false, run_model},
    {"dgdsa", "DynamoGraphDeploymentScalingAdapter", true, true, false, run_adapter},
    {"dckpt", "DynamoCheckpoint", true, false, true, run_checkpoint},
    {"dgdr", "DynamoGraphDeploymentRequest", true, false, true, run_request},
}};

}  // namespace

const RunnerRow* find_runner(std::string_view controller) {
  const auto* const found = std::ranges::find(kRunners, controller, &RunnerRow::controller);
  return found == kRunners.end() ? nullptr : found;
}

}  // namespace dynamo::cases

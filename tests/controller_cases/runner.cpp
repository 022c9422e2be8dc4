#include "tests/controller_cases/runner.hpp"

#include <algorithm>
#include <array>

namespace dynamo::cases {
namespace {

constexpr std::array<RunnerRow, 2> kRunners = {{
    {"dgd", "DynamoGraphDeployment", run_graph},
    {"dcd", "DynamoComponentDeployment", run_component},
}};

}  // namespace

const RunnerRow* find_runner(std::string_view controller) {
  const auto* const found = std::ranges::find(kRunners, controller, &RunnerRow::controller);
  return found == kRunners.end() ? nullptr : found;
}

}  // namespace dynamo::cases

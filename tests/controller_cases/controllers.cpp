#include "tests/controller_cases/controllers.hpp"

#include <algorithm>
#include <array>

namespace dynamo::cases {
namespace {

constexpr std::array<ControllerRow, 6> kControllerRows = {{
    {"dgd", "DynamoGraphDeployment", false, true, reconcile_graph},
    {"dcd", "DynamoComponentDeployment", true, true, reconcile_component},
    {"dm", "DynamoModel", true, true, reconcile_model},
    {"dgdsa", "DynamoGraphDeploymentScalingAdapter", true, true, reconcile_adapter},
    {"dckpt", "DynamoCheckpoint", true, true, reconcile_checkpoint},
    {"dgdr", "DynamoGraphDeploymentRequest", true, true, reconcile_request},
}};

}  // namespace

const ControllerRow* find_controller(std::string_view controller) {
  const auto* const found =
      std::ranges::find(kControllerRows, controller, &ControllerRow::controller);
  return found == kControllerRows.end() ? nullptr : found;
}

}  // namespace dynamo::cases

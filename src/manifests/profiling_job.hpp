// The Job that measures which graph fits a DynamoGraphDeploymentRequest.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"

namespace dynamo::render {

inline constexpr std::string_view kProfilingAccount = "dgdr-profiling-job";

// Precondition: refusal_of_config() returned nullopt.
DesiredObject build_profiling_job(const api::GraphDeploymentRequest& request,
                                  std::string_view namespace_name);

}  // namespace dynamo::render

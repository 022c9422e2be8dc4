// The Job that measures which graph fits a DynamoGraphDeploymentRequest.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::render {

inline constexpr std::string_view kProfilingAccount = "dgdr-profiling-job";

// Precondition: refusal_of_config() returned nullopt. The profiler gets the operator's addresses of
// NATS and etcd, or, where it has none, those of Services of the namespace: NAMESPACE-nats:4222 and
// NAMESPACE-etcd:2379.
DesiredObject build_profiling_job(const api::GraphDeploymentRequest& request,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment);

}  // namespace dynamo::render

// Readiness of a component's pods.
#pragma once

#include <string>
#include <string_view>

#include "desired/desired_objects_plan.hpp"
#include "json/document.hpp"
#include "manifests/desired_object.hpp"
#include "reconciler/component/observed.hpp"

namespace dynamo::reconciler::component {

// Separates the pods and the reason in a message.
inline constexpr std::string_view kAreRefused = " are refused: ";

struct WorkloadStatus {
  bool ready = false;
  std::string reason = {};   // of the Available condition
  std::string message = {};  // which pods are ready, or why some are not
  std::string refusal = {};  // why pods are refused, as at the end of `message`; "" if unknown
  std::string service = {};  // status.service as JSON; "" if there is nothing to count
};

// Evaluates the Deployment or the LeaderWorkerSets among `objects`, as observed. Objects that this
// reconcile writes are not ready, whatever their status reports about previous pods, unless no pod
// is desired.
WorkloadStatus workload_of(const ObservedState& observed, const render::DesiredObjects& objects,
                           const DesiredObjectsPlan& plan);

}  // namespace dynamo::reconciler::component

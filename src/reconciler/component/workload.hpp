// How far the pods of a component are.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"
#include "reconciler/children/children_plan.hpp"
#include "reconciler/component/observed.hpp"
#include "render/children/child.hpp"

namespace dynamo::reconciler::component {

// Between whose pods and why, in a message.
inline constexpr std::string_view kAreRefused = " are refused: ";

struct Workload {
  bool ready = false;
  std::string reason = {};   // of the condition Available
  std::string message = {};  // what is ready, or what is not and why
  std::string refusal = {};  // who lets no pods in, as `message` ends; "" when nobody is known to
  std::string service = {};  // status.service as JSON; "" when there is nothing to count
};

// Of the Deployment or the LeaderWorkerSets among `children`, as they were seen. What the same pass
// writes is not ready, whatever its status says of the pods before, unless no pod is wanted.
Workload workload_of(const Observed& observed, const render::Children& children,
                     const ChildrenPlan& plan);

}  // namespace dynamo::reconciler::component

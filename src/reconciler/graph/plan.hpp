// The DynamoGraphDeployment controller as functions of what was seen; the component pathway.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/children/plan.hpp"
#include "reconciler/graph/observed.hpp"

namespace dynamo::reconciler::graph {

// The condition of a graph that ran before Grove came and goes on without it: False. No other graph
// has it.
inline constexpr std::string_view kByGrove = "RunsByGrove";

// Children, clean-up, status and events of one graph. status.state and the reason of Ready:
//   successful  all_resources_are_ready
//   pending     some_resources_are_not_ready, with the name of each and why
//   failed      ValidationFailed | grove_is_not_supported | name_is_taken |
//               failed_to_reconcile_the_resources
// What was known of services and restart stays where a pass fails. A restart moves on by what the
// components tell, and does not show in state and Ready. Of a graph that is what it asks for there
// are no actions. Pure; never throws for any content of what was seen.
Plan plan(const Observed& observed);

// After an action of the plan of the same `observed` has failed: `why` is one line that names it.
Plan plan_after_failure(const Observed& observed, const std::string& why);
// The same of a pass that came to no plan, as something could not be read: what a plan would have
// told is still to be told.
Plan plan_of_the_unread(const Observed& observed, const std::string& why);

}  // namespace dynamo::reconciler::graph

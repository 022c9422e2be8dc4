// Who may change the replicas of a service that a scaling adapter manages, and what the operator
// writes for a graph.
#pragma once

#include <optional>
#include <string_view>

#include "api/context.hpp"
#include "api/kinds/objects.hpp"

namespace dynamo::validators {

// True for the operator's and the planner's service accounts.
// - The operator: the account of the settings; without one, any whose name ends in
//   "-dynamo-operator-controller-manager".
// - The planner: "planner-serviceaccount" in the namespace of the request, or, where the settings
//   name no operator, an account there whose name ends so; and those that the settings name.
// A request without a user is never authorised.
bool may_scale(const api::Context& context);

// True for the operator's service account, or, where the settings name none, for one whose name
// ends as the operator's does: whoever may create service accounts can take such a name.
bool may_be_operator(std::optional<std::string_view> user, const api::Settings& settings);

// True for the operator's service account, if the settings name it; a guess is no proof.
bool is_operator(std::optional<std::string_view> user, const api::Settings& settings);

// The graph that the operator made this object of, by whose name a policy speaks of it: the owner,
// or of a checkpoint, which has none, the label. "" for a graph, and for what anybody else writes.
std::string_view graph_behind(const api::Context& context, const api::Object& object);

}  // namespace dynamo::validators

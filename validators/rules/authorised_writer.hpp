// Who may change the replicas of a service that a scaling adapter manages.
#pragma once

#include <optional>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::validators {

// True for the operator's and the planner's service accounts. Without a configured operator account
// a service account counts as the operator when its name ends in
// "-dynamo-operator-controller-manager", and as the planner when it ends in
// "planner-serviceaccount"; with one, only that account and the exact planner name count. A request
// without a user is never authorised.
bool may_scale(std::optional<std::string_view> user, const api::Settings& settings);

// True for the operator's service account, if the settings name it; a guess is no proof.
bool is_operator(std::optional<std::string_view> user, const api::Settings& settings);

}  // namespace dynamo::validators

// Which users may change the replicas of a service that a scaling adapter manages, and which
// objects the operator writes for a graph.
#pragma once

#include <optional>
#include <string_view>

#include "api/context.hpp"
#include "api/kinds/objects.hpp"

namespace dynamo::api {

// True for the operator's and the planner's service accounts.
// - The operator: the account in the settings. Without one, any account whose name ends in
//   "-dynamo-operator-controller-manager".
// - The planner: "planner-serviceaccount" in the namespace of the request. For the first
// generation,
//   if the settings name no operator, also an account there whose name ends so. In any case the
//   planners in the settings.
// A request without a user is never authorised.
bool can_scale(const Context& context);

// True for the operator's service account. If the settings name none, true for any account whose
// name ends like the operator's, although every user with permission to create service accounts can
// choose such a name.
bool can_be_operator(std::optional<std::string_view> user, const Settings& settings);

// True for the operator's service account if the settings name it; otherwise always false.
bool is_operator(std::optional<std::string_view> user, const Settings& settings);

// The name of the graph from which the operator created this object; policies address the object by
// it. The graph is the owner; a checkpoint has no owner, so its label counts. "" for a graph and
// for objects of other writers.
std::string_view graph_behind(const Context& context, const Object& object);

}  // namespace dynamo::api

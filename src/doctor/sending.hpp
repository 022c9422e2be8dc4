// Which objects the API server sends to a webhook: by its rules, and by the conditions beside them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/routes.hpp"
#include "doctor/evidence.hpp"

namespace dynamo::doctor {

// Whether some rule of the webhook sends it this operation on the kind.
bool covers(const Webhook& webhook, api::Kind kind, std::string_view operation);

// The webhooks that are sent the operation at the route's path, under whatever conditions.
std::vector<const Webhook*> called_for(const Evidence& evidence, const admission::Route& route,
                                       std::string_view operation);

enum class Selection : std::uint8_t {
  kSelected,
  kExcluded,
  kUnknown,  // for want of the namespace's labels
};
// What the webhook's namespaceSelector says of the dry run's namespace.
Selection selection(const Evidence& evidence, const Webhook& webhook);

// What keeps objects from the webhook that its rules cover, whatever their namespace: "its
// objectSelector", "its matchConditions". What these say of an object is not asked.
std::vector<std::string> conditions(const Webhook& webhook);

// Of a rule's `resources`: whether one of them is every resource there is.
bool names_every_resource(json::Value resources);

}  // namespace dynamo::doctor

// Which objects the API server sends to a webhook: by its rules, selectors and match conditions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/routes.hpp"
#include "doctor/evidence.hpp"

namespace dynamo::doctor {

// Whether a rule of the webhook covers this operation on the kind.
bool has_rule_for(const WebhookEntry& webhook, api::Kind kind, std::string_view operation);

// The webhooks that receive the operation at the route's path, under any conditions.
std::vector<const WebhookEntry*> called_for(const Evidence& evidence, const admission::Route& route,
                                            std::string_view operation);

enum class NamespaceSelection : std::uint8_t {
  kSelected,
  kExcluded,
  kUnknown,  // the namespace's labels are unknown
};
// Whether the webhook's namespaceSelector matches the dry run's namespace.
NamespaceSelection selection(const Evidence& evidence, const WebhookEntry& webhook);

// Conditions that exclude objects covered by the rules, in any namespace: "its objectSelector",
// "its matchConditions". They are not evaluated.
std::vector<std::string> conditions(const WebhookEntry& webhook);

// Whether a rule's `resources` include a wildcard for all resources.
bool names_every_resource(json::Value resources);

}  // namespace dynamo::doctor

// Which objects the API server sends to a webhook: by its rules, selectors and match conditions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/routes.hpp"
#include "api/context.hpp"
#include "doctor/evidence.hpp"

namespace dynamo::doctor {

// Whether the API server serves the kind as v1beta1, by its definition.
api::Fact serves_v1beta1(const Evidence& evidence, api::Kind kind);

// The routes to which requests must be sent: one per kind and purpose, in each version that clients
// may use.
std::vector<const admission::Route*> needed_routes(const Evidence& evidence);

// Whether a rule of the webhook covers this operation on the route's kind and version.
bool has_rule_for(const WebhookEntry& webhook, const admission::Route& route,
                  std::string_view operation);

// The webhooks that receive the operation on objects that a client sends in the route's version,
// under any conditions: at the route's path, or converted at the path of the other version.
std::vector<const WebhookEntry*> called_for(const Evidence& evidence, const admission::Route& route,
                                            std::string_view operation);

// Whether a webhook with matchPolicy Exact misses requests of the version that its rules do not
// list, because no other webhook receives them.
bool misses_a_version(const Evidence& evidence, const WebhookEntry& webhook);

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

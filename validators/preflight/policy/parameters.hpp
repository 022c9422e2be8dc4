// What a rule of a policy measures an object by.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rules/authorised_writer.hpp"

namespace dynamo::validators::policy {

// Null when the policy gives no parameters; and for what the operator makes of a graph (components,
// adapters, checkpoints): that was measured with the graph, by whose name and namespace a policy
// speaks, and a refusal here would only keep the operator from what was allowed there.
inline const api::Parameters* parameters_for(const api::Context& context,
                                             const api::Object& object) {
  if (context.parameters == nullptr) return nullptr;
  return graph_behind(context, object).empty() ? context.parameters : nullptr;
}

}  // namespace dynamo::validators::policy

// The policy parameters that apply to an object.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "api/operator_account.hpp"

namespace dynamo::validators::policy {

// Null if the policy sets no parameters. Also null for objects that the operator creates from a
// graph (components, adapters, checkpoints): the rules checked the graph, by its name and
// namespace, and a refusal here would only block the operator.
inline const api::Parameters* parameters_for(const api::Context& context,
                                             const api::Object& object) {
  if (context.parameters == nullptr) return nullptr;
  return graph_behind(context, object).empty() ? context.parameters : nullptr;
}

}  // namespace dynamo::validators::policy

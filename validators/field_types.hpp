// Checks the JSON type of every field of this API against the tables of its resources, including
// embedded core Kubernetes types. Other rules read a field of the wrong type as absent; this rule
// reports it if an object arrives that was not validated against its schema.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// The rule type.mismatch, for all kinds: metadata and spec.
void field_types(const api::Context& context, const api::Object& now, const api::Object* old,
                 Report& report);

}  // namespace dynamo::validators

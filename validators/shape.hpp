// The JSON type of every field of this API, and the walk that compares an object
// with it. Rules read a field of the wrong type as absent; this is what says that it is wrong.
// Embedded core Kubernetes types are in the tables too.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// The rule type.mismatch, for all kinds.
void field_types(const api::Context& context, const api::Object& now, const api::Object* old,
                 Report& report);

}  // namespace dynamo::validators

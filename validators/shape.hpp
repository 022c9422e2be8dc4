// The JSON type of every field that this API defines itself, and the walk that compares an object
// with it. Rules read a field of the wrong type as absent; this is what says that it is wrong.
// Blocks of core Kubernetes types (pod specs, probes, environment variables) are checked to be
// objects or lists of objects; what is in them is the API server's schema to judge.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// The rule type.mismatch, for all kinds.
void field_types(const api::Context& context, const api::Object& now, const api::Object* old,
                 Report& report);

}  // namespace dynamo::validators

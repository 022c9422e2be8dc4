// The JSON type of every field of this API, by the tables of its resources. Rules read a field of
// the wrong type as absent; this is what says that it is wrong, should an object come here that did
// not pass its schema. Embedded core Kubernetes types are judged too.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// The rule type.mismatch, for all kinds: metadata and spec.
void field_types(const api::Context& context, const api::Object& now, const api::Object* old,
                 Report& report);

}  // namespace dynamo::validators

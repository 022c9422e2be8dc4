// The defaults of both versions, as the mutating webhooks of later operators set them.
#pragma once

#include "api/context.hpp"
#include "json/document.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters {

// Adds to `patch` the operations on an object of context.kind and context.version. Later operators
// default v1alpha1 as v1beta1 and convert it back; here the operations name its own fields. `old`
// is the object before an update, otherwise absent. Idempotent and pure, like apply_defaults(). A
// field whose default depends on unknown facts of the cluster is left unchanged.
void apply_later_defaults(const api::Context& context, json::Value object, json::Value old,
                          json::PatchWriter& patch);

}  // namespace dynamo::defaulters

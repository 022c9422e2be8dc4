// The defaults of v1beta1 objects, as the mutating webhooks of later operators set them.
#pragma once

#include "api/context.hpp"
#include "json/document.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters {

// Adds to `patch` the operations on a v1beta1 object of context.kind. `old` is the object before an
// update, otherwise absent. Idempotent and pure, like apply_defaults(). A field whose default
// depends on unknown facts of the cluster is left unchanged.
void apply_later_defaults(const api::Context& context, json::Value object, json::Value old,
                          json::PatchWriter& patch);

}  // namespace dynamo::defaulters

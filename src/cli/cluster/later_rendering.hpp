// Trees of what later operators create, from objects of either version.
#pragma once

#include <string_view>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "json/document.hpp"
#include "manifests/environment.hpp"
#include "manifests/tree.hpp"

namespace dynamo::cli {

// Whether later operators create the objects: the object is v1beta1, or it is one of v1alpha1 that
// they reconcile.
bool is_rendered_by_later_operators(api::Kind kind, json::Value object,
                                    const api::ClusterFacts& facts);

// The object is converted to the version that it is not in. Refusals name fields of its own
// version; an object that cannot be converted has no tree but a refusal.
render::Tree later_tree_of(api::Kind kind, json::Value object, std::string_view namespace_name,
                           const render::RenderEnvironment& environment);

}  // namespace dynamo::cli

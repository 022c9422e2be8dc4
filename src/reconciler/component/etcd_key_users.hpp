// Checks whether others use a component's keys in etcd. The keys are below dynamoNamespace and
// serviceName, and any user can set these two fields to another tenant's names.
#pragma once

#include <string>

#include "kube/object/object.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler::component {

// Why the keys of `component` must stay in etcd, one line; empty: only this component uses them.
// The text names no object of another namespace. `cache` must have components, indexed by
// kClaimedField and by namespace, and graphs. `is_restricted`: the caches cover one namespace, so
// claims in other namespaces are unknown.
std::string reason_to_keep_keys(const kube::Object& component, const CacheReader& cache,
                                bool is_restricted);

inline constexpr const char* kClaimedField = "spec.dynamoNamespace";

}  // namespace dynamo::reconciler::component

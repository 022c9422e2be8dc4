// Who else uses a component's keys in etcd. Keys lie below (dynamoNamespace, serviceName), two
// fields that any user may set to the names of another tenant.
#pragma once

#include <string>

#include "kube/object.hpp"
#include "reconciler/controller.hpp"

namespace dynamo::reconciler::component {

// Why the keys of `component` must stay in etcd, one line; empty: they are its own. It names no
// object of another namespace. `stores` must have components, indexed by kClaimedField, and graphs.
// `is_restricted`: the stores show one namespace, so claims of other namespaces are not known.
std::string why_keys_stay(const kube::Object& component, const Stores& stores, bool is_restricted);

inline constexpr const char* kClaimedField = "spec.dynamoNamespace";

}  // namespace dynamo::reconciler::component

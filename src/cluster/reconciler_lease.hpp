// What the Lease of dynamo-reconciler's leader says beside who holds it, for whoever looks from
// outside; and the Lease of the operator beside or in whose place it runs.
#pragma once

#include <string_view>

namespace dynamo::cluster {

inline constexpr std::string_view kReconcilerLease = "dynamo-reconciler";
inline constexpr std::string_view kOperatorLease = "dynamo.nvidia.com";
// Where an operator of the whole cluster elects its leader; a restricted one does in its namespace.
inline constexpr std::string_view kOperatorLeaseNamespace = "kube-system";

// The label of that Lease, whose name differs from release to release.
inline constexpr std::string_view kReconcilerLabel = "app.kubernetes.io/name";
inline constexpr std::string_view kReconcilerLabelValue = "dynamo-reconciler";

// "companion" or "replacement".
inline constexpr std::string_view kModeAnnotation = "dynamo-admission/mode";
// The namespace to which it is restricted; absent: none.
inline constexpr std::string_view kScopeAnnotation = "dynamo-admission/namespace";
inline constexpr std::string_view kReplacementMode = "replacement";
inline constexpr std::string_view kCompanionMode = "companion";

}  // namespace dynamo::cluster

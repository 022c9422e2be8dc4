// Metadata of the leader Lease of dynamo-reconciler, for outside readers, and the Lease of the
// operator that it accompanies or replaces.
#pragma once

#include <string_view>

namespace dynamo::cluster {

inline constexpr std::string_view kReconcilerLease = "dynamo-reconciler";
inline constexpr std::string_view kOperatorLease = "dynamo.nvidia.com";
// Where a cluster-wide operator elects its leader; a restricted operator uses its own namespace.
inline constexpr std::string_view kOperatorLeaseNamespace = "kube-system";

// The label of that Lease, whose name depends on the release.
inline constexpr std::string_view kReconcilerLabel = "app.kubernetes.io/name";
inline constexpr std::string_view kReconcilerLabelValue = "dynamo-reconciler";

// "companion" or "replacement".
inline constexpr std::string_view kModeAnnotation = "dynamo-admission/mode";
// The namespace to which it is restricted; absent: none.
inline constexpr std::string_view kScopeAnnotation = "dynamo-admission/namespace";
inline constexpr std::string_view kReplacementMode = "replacement";
inline constexpr std::string_view kCompanionMode = "companion";

}  // namespace dynamo::cluster

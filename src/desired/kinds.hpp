// The kinds of owned objects: one table defines what is created, watched and cleaned up.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kube/object/resource.hpp"

namespace dynamo::reconciler {

// What happens to an owned object that is no longer desired.
enum class CleanUp : std::uint8_t {
  kKeep,                // it may hold data, or running pods may need it
  kDelete,              // deleted, with an event
  kDeleteWithoutEvent,  // deleted without an event, since every scale-down deletes some
};

struct ManagedKind {
  kube::Resource resource;
  CleanUp of_component = CleanUp::kKeep;  // if a component owns it
  CleanUp of_graph = CleanUp::kKeep;      // if a graph owns it
};

inline constexpr std::string_view kDynamoVersion = "v1alpha1";
inline constexpr kube::Resource kComponents{
    "nvidia.com", kDynamoVersion, "dynamocomponentdeployments", "DynamoComponentDeployment"};
inline constexpr kube::Resource kGraphs{"nvidia.com", kDynamoVersion, "dynamographdeployments",
                                        "DynamoGraphDeployment"};

// Grove creates the latter two from the first.
inline constexpr kube::Resource kPodCliqueSets{"grove.io", "v1alpha1", "podcliquesets",
                                               "PodCliqueSet"};
inline constexpr kube::Resource kPodCliques{"grove.io", "v1alpha1", "podcliques", "PodClique"};
inline constexpr kube::Resource kScalingGroups{"grove.io", "v1alpha1", "podcliquescalinggroups",
                                               "PodCliqueScalingGroup"};
// Of KAI, which schedules the pods of a graph that Grove runs.
inline constexpr kube::Resource kQueues{"scheduling.run.ai", "v2", "queues", "Queue", false};

inline constexpr std::string_view kAdapterKind = "DynamoGraphDeploymentScalingAdapter";

// The annotation with the admission record of an object (docs/adr/0030).
inline constexpr std::string_view kRecordAnnotation = "dynamo-admission/last-admitted";

inline constexpr std::array<ManagedKind, 18> kManagedKinds = {{
    {{"apps", "v1", "deployments", "Deployment"}, CleanUp::kDelete},
    {{"", "v1", "services", "Service"}, CleanUp::kDelete, CleanUp::kDelete},
    {{"networking.k8s.io", "v1", "ingresses", "Ingress"}, CleanUp::kDelete, CleanUp::kDelete},
    {{"networking.istio.io", "v1beta1", "virtualservices", "VirtualService"},
     CleanUp::kDelete,
     CleanUp::kDelete},
    {{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet"},
     CleanUp::kDeleteWithoutEvent},
    {{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"}, CleanUp::kDeleteWithoutEvent},
    {kComponents, CleanUp::kKeep, CleanUp::kDelete},
    {kPodCliqueSets},
    {{"nvidia.com", kDynamoVersion, "dynamographdeploymentscalingadapters", kAdapterKind}},
    {{"nvidia.com", kDynamoVersion, "dynamocheckpoints", "DynamoCheckpoint"}},
    {{"", "v1", "configmaps", "ConfigMap"}, CleanUp::kKeep, CleanUp::kDelete},
    {{"inference.networking.k8s.io", "v1", "inferencepools", "InferencePool"},
     CleanUp::kKeep,
     CleanUp::kDelete},
    {{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"}},
    {{"", "v1", "serviceaccounts", "ServiceAccount"}},
    {{"rbac.authorization.k8s.io", "v1", "roles", "Role"}},
    {{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"}},
    {{"", "v1", "secrets", "Secret"}},
    {{"batch", "v1", "jobs", "Job"}},
}};

// Null for a kind that no controller creates.
constexpr const ManagedKind* find_managed_kind(std::string_view kind) {
  for (const ManagedKind& each : kManagedKinds) {
    if (each.resource.kind == kind) return &each;
  }
  return nullptr;
}

// Objects of this kind stay even if they are no longer desired. Adapters are deleted by a separate
// rule.
constexpr bool is_kept(std::string_view kind) {
  const ManagedKind* const found = find_managed_kind(kind);
  return found != nullptr && found->of_component == CleanUp::kKeep &&
         found->of_graph == CleanUp::kKeep && kind != kAdapterKind;
}

}  // namespace dynamo::reconciler

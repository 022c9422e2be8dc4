// A resource of the API, and the path of its objects.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::kube {

struct Resource {
  std::string_view group;  // empty: the core group
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
  bool namespaced = true;

  // "/apis/coordination.k8s.io/v1/namespaces/NS/leases/NAME/SUB". Empty parts are omitted, so an
  // empty namespace means all of them. Parts are escaped for a URL.
  std::string path(std::string_view namespace_name = {}, std::string_view name = {},
                   std::string_view subresource = {}) const;
  // "coordination.k8s.io/v1", or "v1".
  std::string api_version() const;

  bool operator==(const Resource&) const = default;
};

inline constexpr Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr Resource kSecrets{"", "v1", "secrets", "Secret"};
inline constexpr Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr Resource kPersistentVolumeClaims{"", "v1", "persistentvolumeclaims",
                                                  "PersistentVolumeClaim"};
inline constexpr Resource kEvents{"events.k8s.io", "v1", "events", "Event"};
inline constexpr Resource kServices{"", "v1", "services", "Service"};
inline constexpr Resource kPods{"", "v1", "pods", "Pod"};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline constexpr Resource kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices",
                                          "EndpointSlice"};
inline constexpr Resource kValidatingWebhookConfigurations{"admissionregistration.k8s.io", "v1",
                                                           "validatingwebhookconfigurations",
                                                           "ValidatingWebhookConfiguration", false};
inline constexpr Resource kMutatingWebhookConfigurations{"admissionregistration.k8s.io", "v1",
                                                         "mutatingwebhookconfigurations",
                                                         "MutatingWebhookConfiguration", false};
inline constexpr Resource kCustomResourceDefinitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};
inline constexpr Resource kSelfSubjectAccessReviews{
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false};

}  // namespace dynamo::kube

// The permissions that a server needs, and the access reviews that check them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/cluster_objects.hpp"
#include "doctor/evidence.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::doctor {

inline constexpr kube::Resource kSubjectAccessReviews{
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};

// Server settings that determine its permissions.
struct Duties {
  // NAMESPACE/NAME; if empty, the review uses the default name as a guess, because permissions for
  // Secrets are narrowed by name.
  std::string_view secret = {};
  std::span<const api::LookupKind> lookups = {};
  bool inject_crds = false;
  // NAMESPACE/NAME of the account that maintains managed certificates; empty: the server does.
  std::string_view keeper_account = {};
};

// Whether the server maintains the caBundle of this webhook: its configuration is labelled, and it
// calls a Service in the server's namespace, or in any namespace if the server's is unknown.
bool is_kept_by_server(const WebhookEntry& webhook, const Evidence& evidence);

// The permissions of deploy/rbac for these settings; restriction and managed certificates follow
// the evidence. Permissions that only managed certificates need are optional, and are checked in
// the server's namespace, or in that of each Service if it is unknown. Permissions for lookups are
// optional as well.
std::vector<RightEvidence> needed_rights(const Evidence& evidence, const Duties& duties);

// A SelfSubjectAccessReview, or for a service account NAMESPACE/NAME a SubjectAccessReview, as
// JSON.
std::string review_body(const RightEvidence& right, std::string_view service_account);

}  // namespace dynamo::doctor

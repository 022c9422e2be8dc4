// The rights that a server needs, and how the API server is asked for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/cluster_objects.hpp"
#include "doctor/evidence.hpp"
#include "kube/resource.hpp"

namespace dynamo::doctor {

inline constexpr kube::Resource kSubjectAccessReviews{
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};

// Those of deploy/rbac. What only managed certificates need is optional, and asked for in the
// namespace of each Service. `secret` is NAMESPACE/NAME; where it names none, the usual one is
// asked about, as rights to Secrets are narrowed by name. What the server looks up is optional as
// well.
std::vector<RightEvidence> needed_rights(const Evidence& evidence, std::string_view secret,
                                         std::span<const api::LookedUp> lookups = {});

// A SelfSubjectAccessReview, or with a service account NAMESPACE/NAME a SubjectAccessReview, as
// JSON.
std::string review_body(const RightEvidence& right, std::string_view service_account);

}  // namespace dynamo::doctor

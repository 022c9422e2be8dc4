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

// How a server is run, as far as its rights depend on it.
struct Duties {
  // NAMESPACE/NAME; where it names none, the usual one is guessed and asked about, as rights to
  // Secrets are narrowed by name.
  std::string_view secret = {};
  std::span<const api::LookedUp> lookups = {};
  bool inject_crds = false;
  // NAMESPACE/NAME of the account that keeps managed certificates; empty: the server keeps them.
  std::string_view keeper_account = {};
};

// Whether the server keeps the caBundle of this webhook: its configuration is labelled, and it
// calls a Service beside the server; one of any namespace, where that of the server is not known.
bool is_kept_by_server(const Webhook& webhook, const Evidence& evidence);

// Those of deploy/rbac for a server that is run so; restricted, and with managed certificates, as
// the evidence says. What only managed certificates need is optional, and asked for in the
// server's namespace, or that of each Service where it is not known. What the server looks up is
// optional as well.
std::vector<RightEvidence> needed_rights(const Evidence& evidence, const Duties& duties);

// A SelfSubjectAccessReview, or with a service account NAMESPACE/NAME a SubjectAccessReview, as
// JSON.
std::string review_body(const RightEvidence& right, std::string_view service_account);

}  // namespace dynamo::doctor

// The AdmissionReview envelope (admission.k8s.io/v1): reads the request, writes the response.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "json/document.hpp"

namespace dynamo::api {

// The depth of `metadata` of the object and the old object below the root of a review.
inline constexpr std::size_t kReviewMetadataDepth = 3;

struct GroupVersionKind {
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind = {};
};

// The version of the kind. Other groups and versions count as v1alpha1.
constexpr Version version_of(const GroupVersionKind& kind) {
  const bool is_beta = kind.group == kGroup && kind.version == name(Version::kV1beta1);
  return is_beta ? Version::kV1beta1 : Version::kV1alpha1;
}

// Views into the parsed review; valid while its document is.
struct AdmissionRequest {
  std::string_view uid = {};
  GroupVersionKind kind = {};
  // The kind that the client sent, if the API server converted it for the webhook. Empty: `kind`.
  GroupVersionKind request_kind = {};
  std::string_view sub_resource = {};
  std::string_view name = {};  // empty on CREATE with generateName
  std::string_view namespace_name = {};
  Operation operation = Operation::kCreate;
  std::optional<std::string_view> user = {};  // userInfo.username
  bool dry_run = false;
  // The object is a manifest, without the deletionTimestamp that an API server copies from the old
  // object. Never set by decode_review().
  bool is_manifest = false;
  // The object of a CREATE is stored already: it gets the defaults of an update alone. Never set by
  // decode_review().
  bool already_stored = false;
  // As json::Document::is_plain() for the request. False if this was not determined.
  bool is_plain = false;
  json::Value object = {};      // absent on DELETE
  json::Value old_object = {};  // absent on CREATE and CONNECT

  // The version of both objects.
  Version version() const { return version_of(kind); }
  // The version in which the client sent the object: findings name its fields.
  Version client_version() const {
    return request_kind.version.empty() ? version() : version_of(request_kind);
  }
};

// An error in the envelope: the field and a one-line reason.
struct EnvelopeError {
  std::string field;
  std::string reason;
};

// Decodes the envelope. Ignores fields that Kubernetes adds later; null counts as absent. Exactly
// one of the results is set.
struct DecodedReview {
  std::optional<AdmissionRequest> request;
  EnvelopeError error;
};
DecodedReview decode_review(json::Value review);

// One cause of a denial, as metav1.StatusCause.
struct StatusCause {
  std::string_view reason = {};
  std::string field;
  std::string message;
};

// The response. `status_*` and `causes` matter only if not allowed.
struct AdmissionResponse {
  std::string_view uid = {};
  bool allowed = true;
  std::string_view patch = {};  // RFC 6902 text; empty: no patch
  std::span<const std::string> warnings = {};

  int status_code = 422;
  std::string_view status_reason = "Invalid";
  std::string_view message = {};
  std::string_view details_group = {};
  std::string_view details_kind = {};  // empty: a status without details and causes
  std::string_view details_name = {};
  std::span<const StatusCause> causes = {};

  // At most one: key and value, both deterministic (a reinvoked webhook must not contradict
  // itself).
  std::string_view audit_key = {};
  std::string_view audit_value = {};
};

// Appends the complete AdmissionReview response. It satisfies what the API server verifies: the
// request's uid, apiVersion and kind at the top, patch and patchType both or neither, the patch in
// base64.
void write_review(const AdmissionResponse& response, std::string& out);

}  // namespace dynamo::api

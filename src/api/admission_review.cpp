#include "api/admission_review.hpp"

#include <cstddef>
#include <string>

#include "json/writer.hpp"
#include "text/base64.hpp"
#include "text/quoted.hpp"

namespace dynamo::api {
namespace {

constexpr std::string_view kReviewApiVersion = "admission.k8s.io/v1";
constexpr std::string_view kReviewKind = "AdmissionReview";

// API servers send a UUID of 36 bytes. It is returned in the response, which must stay small.
constexpr std::size_t kLongestUid = 128;

DecodedReview refuse(std::string_view field, std::string reason) {
  return {std::nullopt, {std::string(field), std::move(reason)}};
}

std::string must_be(std::string_view wanted, json::Value found) {
  std::string text = "must be \"" + std::string(wanted) + "\"; found ";
  if (!found.exists()) return text + "nothing";
  if (!found.is_string()) return text + std::string(json::type_name(found.type()));
  return text + text::quoted(found.string_or_empty(), 80);
}

GroupVersionKind kind_of(json::Value value) {
  return {value["group"].string_or_empty(), value["version"].string_or_empty(),
          value["kind"].string_or_empty()};
}

json::Value present(json::Value value) {
  return value.is_nothing() ? json::Value{} : value;
}

// Reads optional fields of the request, and stores the first one with a wrong type: treating it as
// absent could admit a different request.
class FieldReader {
 public:
  std::string_view text(std::string_view field, json::Value value) {
    if (!value.is_nothing() && !value.is_string()) note(field, "a string", value);
    return value.string_or_empty();
  }
  bool flag(std::string_view field, json::Value value) {
    if (!value.is_nothing() && !value.boolean()) note(field, "true or false", value);
    return value.boolean().value_or(false);
  }
  json::Value object(std::string_view field, json::Value value) {
    if (!value.is_nothing() && !value.is_object()) note(field, "an object", value);
    return present(value);
  }
  const std::optional<EnvelopeError>& error() const { return error_; }

 private:
  void note(std::string_view field, std::string_view wanted, json::Value found) {
    if (error_) return;
    error_ = {"request." + std::string(field), "must be " + std::string(wanted) + "; found " +
                                                   std::string(json::type_name(found.type()))};
  }
  std::optional<EnvelopeError> error_;
};

}  // namespace

DecodedReview decode_review(json::Value review) {
  if (!review.is_object()) return refuse("AdmissionReview", "must be a JSON object");
  const json::Value api_version = review["apiVersion"];
  if (api_version.string_or_empty() != kReviewApiVersion) {
    return refuse("apiVersion", must_be(kReviewApiVersion, api_version));
  }
  const json::Value review_kind = review["kind"];
  if (review_kind.string_or_empty() != kReviewKind) {
    return refuse("kind", must_be(kReviewKind, review_kind));
  }
  const json::Value request = review["request"];
  if (!request.is_object()) return refuse("request", "must be an object");

  AdmissionRequest decoded;
  FieldReader read;
  std::string_view operation;
  // A single loop: the request has about fifteen members, most of which are needed.
  for (const json::Member member : request.members()) {
    const std::string_view name = member.name;
    const json::Value value = member.value;
    if (name == "uid") {
      decoded.uid = read.text(name, value);
    } else if (name == "kind") {
      decoded.kind = kind_of(read.object(name, value));
    } else if (name == "requestKind") {
      decoded.request_kind = kind_of(read.object(name, value));
    } else if (name == "subResource") {
      decoded.sub_resource = read.text(name, value);
    } else if (name == "name") {
      decoded.name = read.text(name, value);
    } else if (name == "namespace") {
      decoded.namespace_name = read.text(name, value);
    } else if (name == "operation") {
      operation = read.text(name, value);
    } else if (name == "userInfo") {
      const json::Value user = read.object(name, value)["username"];
      read.text("userInfo.username", user);
      decoded.user = user.string();
    } else if (name == "dryRun") {
      decoded.dry_run = read.flag(name, value);
    } else if (name == "object") {
      decoded.object = read.object(name, value);
    } else if (name == "oldObject") {
      decoded.old_object = read.object(name, value);
    }
  }

  if (read.error()) return {std::nullopt, *read.error()};
  if (decoded.uid.empty()) return refuse("request.uid", "must not be empty");
  if (decoded.uid.size() > kLongestUid) {
    return refuse("request.uid", "must be at most " + std::to_string(kLongestUid) +
                                     " bytes long; found " + std::to_string(decoded.uid.size()));
  }
  const auto known_operation = parse_operation(operation);
  if (!known_operation) {
    return refuse("request.operation", "must be CREATE, UPDATE, DELETE or CONNECT");
  }
  decoded.operation = *known_operation;
  return {decoded, {}};
}

namespace {

void write_status(const AdmissionResponse& response, json::Writer& writer) {
  writer.key("status").start_object();
  writer.member("status", "Failure");
  writer.member("message", response.message);
  writer.member("reason", response.status_reason);
  writer.key("code").integer(response.status_code);
  if (response.details_kind.empty()) {
    writer.end_object();
    return;
  }
  writer.key("details").start_object();
  writer.member("name", response.details_name);
  writer.member("group", response.details_group);
  writer.member("kind", response.details_kind);
  writer.key("causes").start_array();
  for (const StatusCause& cause : response.causes) {
    writer.start_object();
    writer.member("reason", cause.reason);
    writer.member("message", cause.message);
    writer.member("field", cause.field);
    writer.end_object();
  }
  writer.end_array().end_object().end_object();
}

void write_patch(std::string_view patch, json::Writer& writer, std::string& out) {
  writer.member("patchType", "JSONPatch");
  writer.key("patch").raw("\"");
  text::append_base64(out, patch);
  out += '"';
}

}  // namespace

void write_review(const AdmissionResponse& response, std::string& out) {
  json::Writer writer{out};
  writer.start_object();
  writer.member("kind", kReviewKind);
  writer.member("apiVersion", kReviewApiVersion);
  writer.key("response").start_object();
  writer.member("uid", response.uid);
  writer.key("allowed").boolean(response.allowed);
  if (!response.allowed) write_status(response, writer);
  if (!response.patch.empty()) write_patch(response.patch, writer, out);
  if (!response.warnings.empty()) {
    writer.key("warnings").start_array();
    for (const std::string& warning : response.warnings) writer.string(warning);
    writer.end_array();
  }
  if (!response.audit_key.empty()) {
    writer.key("auditAnnotations").start_object();
    writer.member(response.audit_key, response.audit_value);
    writer.end_object();
  }
  writer.end_object().end_object();
}

}  // namespace dynamo::api

#include "api/admission_review.hpp"

#include "json/writer.hpp"

namespace dynamo::api {
namespace {

constexpr std::string_view kReviewApiVersion = "admission.k8s.io/v1";
constexpr std::string_view kReviewKind = "AdmissionReview";

DecodedReview refuse(std::string_view field, std::string reason) {
  return {std::nullopt, {std::string(field), std::move(reason)}};
}

std::string must_be(std::string_view wanted, json::Value found) {
  std::string text = "must be \"" + std::string(wanted) + "\"; found ";
  if (!found.exists()) return text + "nothing";
  if (!found.is_string()) return text + std::string(json::type_name(found.type()));
  // What a client sent goes into a one-line answer: keep it short.
  return text + "\"" + std::string(found.string_or_empty().substr(0, 80)) + "\"";
}

json::Value present(json::Value value) { return value.is_nothing() ? json::Value{} : value; }

// An object that is there must be a JSON object.
bool is_wrong_object(json::Value value) { return value.exists() && !value.is_object(); }

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
  // One pass: the request has some fifteen members, most of them wanted.
  json::Value operation;
  for (const json::Member member : request.members()) {
    const std::string_view name = member.name;
    const json::Value value = member.value;
    if (name == "uid") {
      decoded.uid = value.string_or_empty();
    } else if (name == "kind") {
      decoded.kind = {value["group"].string_or_empty(), value["version"].string_or_empty(),
                      value["kind"].string_or_empty()};
    } else if (name == "subResource") {
      decoded.sub_resource = value.string_or_empty();
    } else if (name == "name") {
      decoded.name = value.string_or_empty();
    } else if (name == "namespace") {
      decoded.namespace_name = value.string_or_empty();
    } else if (name == "operation") {
      operation = value;
    } else if (name == "userInfo") {
      decoded.user = value["username"].string();
    } else if (name == "dryRun") {
      decoded.dry_run = value.boolean().value_or(false);
    } else if (name == "object") {
      decoded.object = present(value);
    } else if (name == "oldObject") {
      decoded.old_object = present(value);
    }
  }

  if (decoded.uid.empty()) return refuse("request.uid", "must not be empty");
  const auto known_operation = parse_operation(operation.string_or_empty());
  if (!known_operation) {
    return refuse("request.operation", "must be CREATE, UPDATE, DELETE or CONNECT");
  }
  decoded.operation = *known_operation;
  if (is_wrong_object(decoded.object)) return refuse("request.object", "must be an object");
  if (is_wrong_object(decoded.old_object)) return refuse("request.oldObject", "must be an object");
  return {decoded, {}};
}

namespace {

void write_status(const AdmissionResponse& response, json::Writer& writer) {
  writer.key("status").start_object();
  writer.member("status", "Failure");
  writer.member("message", response.message);
  writer.member("reason", response.status_reason);
  writer.key("code").integer(response.status_code);
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
  json::append_base64(out, patch);
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

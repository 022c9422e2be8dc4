#include "admission/review.hpp"

#include "text/presentable.hpp"

namespace dynamo::admission {
namespace {

std::string wrong_kind(const Route& route, const api::GroupVersionKind& found) {
  std::string text = "must be ";
  text += api::kApiVersion;
  text += ' ';
  text += api::names(route.kind).name;
  text += " on this path; found ";
  text::append_presentable(text, found.group, 80);
  text += '/';
  text::append_presentable(text, found.version, 80);
  text += ' ';
  text::append_presentable(text, found.kind, 80);
  if (found.group == api::kGroup && found.version != api::kVersion) {
    text += ", which is of an API version that this release does not validate";
  }
  return text;
}

bool is_kind_of(const Route& route, const api::GroupVersionKind& kind) {
  return kind.group == api::kGroup && kind.version == api::kVersion &&
         kind.kind == api::names(route.kind).name;
}

}  // namespace

ReviewResult Reviewer::bad_request(std::string_view where, std::string_view reason,
                                   std::string& answer) {
  answer += where;
  answer += ": ";
  answer += reason;
  answer += '\n';
  return {.verdict = ReviewVerdict::kBadRequest, .http_status = 400};
}

std::optional<ReviewResult> Reviewer::refuse_envelope(const Route& route, std::string& answer) {
  const api::DecodedReview decoded = api::decode_review(document_.root());
  if (!decoded.request) return bad_request(decoded.error.field, decoded.error.reason, answer);
  request_ = *decoded.request;
  request_.is_plain = document_.is_plain();
  // A subresource may have another kind: scale is autoscaling/v1 Scale.
  if (request_.sub_resource.empty() && !is_kind_of(route, request_.kind)) {
    return bad_request("request.kind", wrong_kind(route, request_.kind), answer);
  }
  if (const std::string_view field = missing_object(request_); !field.empty()) {
    return bad_request(field, "must be an object for this operation; found nothing", answer);
  }
  return std::nullopt;
}

ReviewResult Reviewer::review(const Route& route, std::span<char> body,
                              const EvaluationInputs& inputs, std::string& answer) {
  request_ = {};
  give_back();
  const json::ParseOptions options{.max_depth = limits_.max_depth,
                                   .skip_managed_fields_at = api::kReviewMetadataDepth};
  if (const auto error = parser_.parse(body, options, document_)) {
    ReviewResult outcome = bad_request("AdmissionReview", error->message(), answer);
    outcome.parse_failure = error->failure;
    return outcome;
  }
  if (auto refused = refuse_envelope(route, answer)) return *refused;

  Decision& decision = request_evaluator_.evaluate(route, request_, inputs);
  write_answer(route, request_, decision, enforcement_, answer);
  ReviewResult outcome{.http_status = 200, .request = &request_, .decision = &decision};
  if (!decision.is_allowed()) {
    outcome.verdict =
        enforcement_ == Enforcement::kAudit ? ReviewVerdict::kAudited : ReviewVerdict::kDenied;
  } else if (decision.exemption != Exemption::kNone) {
    outcome.verdict = ReviewVerdict::kExempted;
  } else {
    outcome.verdict = ReviewVerdict::kAllowed;
  }
  return outcome;
}

}  // namespace dynamo::admission

#include "admission/review.hpp"

#include "api/review_memory.hpp"
#include "text/presentable.hpp"

namespace dynamo::admission {
namespace {

constexpr std::string_view kOnlyV1alpha1 =
    "must be of v1alpha1: the operator is of the first generation, which serves no v1beta1";

// Most reviews below this size are of new objects.
constexpr std::size_t kLeastCopied = 4'096;

std::string kind_of_path(const Route& route) {
  std::string text{api::kGroup};
  text += '/';
  text += api::name(route.version);
  text += ' ';
  text += api::names(route.kind).name;
  return text;
}

std::string found_kind(const api::GroupVersionKind& found) {
  std::string text;
  text::append_presentable(text, found.group, 80);
  text += '/';
  text::append_presentable(text, found.version, 80);
  text += ' ';
  text::append_presentable(text, found.kind, 80);
  return text;
}

// Precondition: the path is for v1alpha1.
std::string wrong_kind(const Route& route, const api::AdmissionRequest& request,
                       const api::ClusterFacts& facts) {
  std::string text =
      "must be " + kind_of_path(route) + " on this path; found " + found_kind(request.kind);
  const std::string_view version = request.kind.version;
  if (request.kind.group != api::kGroup || version == api::kVersion) return text;
  const Route& of_version = *find_route(route.kind, route.purpose, request.version());
  if (request.kind.kind == api::names(route.kind).name && of_version.version != route.version &&
      can_be_served(of_version.version, facts)) {
    return text + ", whose path is " + std::string(of_version.path);
  }
  return text + ", which is of an API version that this release does not validate";
}

// How the webhook of a later operator denies a request that the API server did not convert.
std::string describe_refusal(const Route& route, const api::AdmissionRequest& request) {
  return "request.kind must be " + kind_of_path(route) + "; found " + found_kind(request.kind) +
         ": check the webhook configuration, and the conversion webhook of the CRD";
}

bool is_kind_of(const Route& route, const api::GroupVersionKind& kind) {
  return kind.group == api::kGroup && kind.version == api::name(route.version) &&
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

std::optional<ReviewResult> Reviewer::refuse_envelope(const Route& route,
                                                      const api::ClusterFacts& facts,
                                                      std::string& answer) {
  const api::DecodedReview decoded = api::decode_review(document_.root());
  if (!decoded.request) return bad_request(decoded.error.field, decoded.error.reason, answer);
  request_ = *decoded.request;
  request_.is_plain = document_.is_plain();
  if (!can_be_served(route.version, facts)) {
    return bad_request("request.kind", kOnlyV1alpha1, answer);
  }
  if (!has_kind_of(route)) {
    // On a path of later operators, such a request is denied as they deny it.
    if (route.version == api::Version::kV1beta1) return std::nullopt;
    return bad_request("request.kind", wrong_kind(route, request_, facts), answer);
  }
  if (const std::string_view field = missing_object(request_); !field.empty()) {
    return bad_request(field, "must be an object for this operation; found nothing", answer);
  }
  return std::nullopt;
}

bool Reviewer::has_kind_of(const Route& route) const {
  // A subresource may have another kind: scale is autoscaling/v1 Scale.
  return !request_.sub_resource.empty() || is_kind_of(route, request_.kind);
}

ReviewResult Reviewer::review(const Route& route, std::span<char> body,
                              const EvaluationInputs& inputs, std::string& answer) {
  request_ = {};
  give_back();
  const json::ParseOptions options{.max_depth = limits_.max_depth,
                                   .skip_managed_fields_at = api::kReviewMetadataDepth,
                                   .is_admission_review = true,
                                   .copy_repeated = body.size() >= kLeastCopied};
  if (const auto error = parser_.parse(body, options, document_)) {
    ReviewResult outcome = bad_request("AdmissionReview", error->message(), answer);
    outcome.parse_failure = error->failure;
    return outcome;
  }
  if (auto refused = refuse_envelope(route, inputs.facts, answer)) return *refused;
  request_evaluator_.limit_memory(
      api::memory_left_to_convert(body.size(), document_.root().node()->span));

  Decision& decision = has_kind_of(route)
                           ? request_evaluator_.evaluate(route, request_, inputs)
                           : request_evaluator_.refuse(describe_refusal(route, request_));
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

#include "conversion/review.hpp"

#include <algorithm>
#include <utility>

#include "api/review_memory.hpp"
#include "json/writer.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::conversion {

namespace {

constexpr std::string_view kReviewApiVersion = "apiextensions.k8s.io/v1";
constexpr std::string_view kReviewKind = "ConversionReview";

// The depth of `metadata` of an object below the root: request, objects, object.
constexpr std::size_t kMetadataDepth = 4;

// API servers send a UUID of 36 bytes. The response repeats it.
constexpr std::size_t kLongestUid = 128;
constexpr std::size_t kLongestFound = 80;
// A name has at most 253 bytes. A field's path has names of the user's object.
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestReason = 1024;

// Kubernetes' limit of all keys and values of an object's annotations: the API server rejects a
// response that exceeds it. A payload annotation is parsed, so its size must have a limit, too.
constexpr std::size_t kMaxAnnotationBytes = std::size_t{256} * 1024;

std::string must_be(std::string_view wanted, json::Value found) {
  std::string text = "must be ";
  text.append(wanted).append("; found ");
  if (!found.exists()) return text + "nothing";
  if (!found.is_string()) return text.append(json::type_name(found.type()));
  return text + text::quoted(found.string_or_empty(), kLongestFound);
}

// "NAMESPACE/NAME", or the object's position if it has no name.
std::string describe_object(json::Value object, std::size_t position) {
  const json::Value metadata = object["metadata"];
  const std::string_view name = metadata["name"].string_or_empty();
  if (name.empty()) return "request.objects[" + std::to_string(position) + "]";
  std::string text;
  const std::string_view namespace_name = metadata["namespace"].string_or_empty();
  if (!namespace_name.empty()) {
    text::append_presentable(text, namespace_name, kLongestName);
    text += '/';
  }
  text::append_presentable(text, name, kLongestName);
  return text;
}

std::string failure_message(json::Value object, std::size_t position, std::string_view reason) {
  std::string text = describe_object(object, position) + ": ";
  text::append_presentable(text, reason, kLongestReason);
  return text;
}

std::size_t annotation_bytes(json::Value object) {
  std::size_t bytes = 0;
  for (const json::Member annotation : object["metadata"]["annotations"].members()) {
    bytes += annotation.name.size() + annotation.value.string_or_empty().size();
  }
  return bytes;
}

std::string over_limit(std::string_view what, std::size_t most, std::size_t found) {
  return std::string(what) + " must have at most " + std::to_string(most) + "; found " +
         std::to_string(found);
}

void start_response(json::Writer& writer, std::string_view uid) {
  writer.start_object().member("kind", kReviewKind).member("apiVersion", kReviewApiVersion);
  writer.key("response").start_object().member("uid", uid).key("convertedObjects");
}

void end_response(json::Writer& writer, std::string_view status, std::string_view message) {
  writer.key("result").start_object();
  writer.key("metadata").start_object().end_object();
  writer.member("status", status);
  if (!message.empty()) writer.member("message", message);
  writer.end_object().end_object().end_object();
}

}  // namespace

void ConversionReviewer::give_back() {
  if (document_.capacity() <= limits_.kept_nodes) return;
  request_ = {};
  document_.shrink_to(limits_.kept_nodes);
}

std::optional<api::EnvelopeError> ConversionReviewer::read_envelope() {
  using Error = api::EnvelopeError;
  const json::Value review = document_.root();
  if (!review.is_object()) return Error{std::string(kReviewKind), must_be("an object", review)};
  const json::Value api_version = review["apiVersion"];
  if (api_version.string_or_empty() != kReviewApiVersion) {
    return Error{"apiVersion", must_be("\"apiextensions.k8s.io/v1\"", api_version)};
  }
  const json::Value kind = review["kind"];
  if (kind.string_or_empty() != kReviewKind) {
    return Error{"kind", must_be("\"ConversionReview\"", kind)};
  }
  const json::Value request = review["request"];
  if (!request.is_object()) return Error{"request", must_be("an object", request)};
  const json::Value uid = request["uid"];
  const std::string_view uid_text = uid.string_or_empty();
  if (uid_text.empty() || uid_text.size() > kLongestUid) {
    return Error{"request.uid", must_be("a text of 1 to 128 bytes", uid)};
  }
  const json::Value version = request["desiredAPIVersion"];
  if (!version.is_nothing() && !version.is_string()) {
    return Error{"request.desiredAPIVersion", must_be("a string", version)};
  }
  const json::Value objects = request["objects"];
  if (!objects.is_nothing() && !objects.is_array()) {
    return Error{"request.objects", must_be("a list", objects)};
  }
  request_ = {.uid = uid_text, .version = version.string_or_empty(), .objects = objects};
  return std::nullopt;
}

std::optional<std::string> ConversionReviewer::convert_object(json::Value object, Version target,
                                                              std::string& answer) {
  const std::size_t annotations = annotation_bytes(object);
  if (annotations > kMaxAnnotationBytes) {
    return over_limit("metadata.annotations", kMaxAnnotationBytes, annotations) + " bytes";
  }
  if (auto reason = converter_.convert(object, target, answer)) return reason;
  const std::size_t converted = converter_.annotation_bytes();
  if (converted > kMaxAnnotationBytes) {
    return over_limit("metadata.annotations in the other version", kMaxAnnotationBytes, converted) +
           " bytes";
  }
  return std::nullopt;
}

std::optional<std::string> ConversionReviewer::convert_objects(ConversionReviewResult& result,
                                                               std::size_t memory,
                                                               std::string& answer) {
  if (!result.target) {
    return "request.desiredAPIVersion: must be \"nvidia.com/v1alpha1\" or "
           "\"nvidia.com/v1beta1\"; found " +
           text::quoted(request_.version, kLongestFound);
  }
  const std::size_t values = request_.objects.node()->span;
  if (values > limits_.max_values) {
    return over_limit("request.objects", limits_.max_values, values) + " names and values";
  }
  const std::size_t start = answer.size();
  std::size_t written = 0;
  std::size_t position = 0;
  for (const json::Value object : request_.objects.elements()) {
    if (position > 0) answer += ',';
    // A string that grows takes three times its size: its buffer and one of twice the size.
    converter_.limit_memory(memory - std::min(memory, 3 * written));
    auto reason = convert_object(object, *result.target, answer);
    written = answer.size() - start;
    if (!reason && written > limits_.max_answer_bytes) {
      reason = over_limit("the response", limits_.max_answer_bytes, written) + " bytes";
    }
    if (reason) {
      result.object = object;
      return failure_message(object, position, *reason);
    }
    ++position;
  }
  return std::nullopt;
}

ConversionReviewResult ConversionReviewer::review(std::span<char> body, std::string& answer) {
  request_ = {};
  give_back();
  const auto bad_request = [&answer](std::string_view field, std::string_view reason) {
    answer.append(field).append(": ").append(reason).append("\n");
    return ConversionReviewResult{};
  };
  const json::ParseOptions options{.max_depth = limits_.max_depth,
                                   .skip_managed_fields_at = kMetadataDepth};
  if (const auto error = parser_.parse(body, options, document_)) {
    ConversionReviewResult result = bad_request(kReviewKind, error->message());
    result.parse_failure = error->failure;
    return result;
  }
  if (const auto error = read_envelope()) return bad_request(error->field, error->reason);

  ConversionReviewResult result{.outcome = ReviewOutcome::kConverted,
                                .uid = request_.uid,
                                .target = parse_api_version(request_.version),
                                .objects = request_.objects.size()};
  const std::size_t start = answer.size();
  json::Writer writer(answer);
  start_response(writer, request_.uid);
  if (result.objects == 0) {
    // The operator writes an empty list as null, and needs no version for it.
    writer.null();
    end_response(writer, "Success", {});
    return result;
  }
  result.object = *request_.objects.elements().begin();
  writer.raw("[");
  const std::size_t memory =
      api::memory_left_to_convert(body.size(), document_.root().node()->span);
  if (auto message = convert_objects(result, memory, answer)) {
    result.outcome = ReviewOutcome::kFailed;
    result.message = std::move(*message);
    answer.resize(start);
    json::Writer failure(answer);
    start_response(failure, request_.uid);
    failure.null();
    end_response(failure, "Failure", result.message);
    return result;
  }
  answer += ']';
  end_response(writer, "Success", {});
  return result;
}

}  // namespace dynamo::conversion

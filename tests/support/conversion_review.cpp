#include "tests/support/conversion_review.hpp"

#include <array>
#include <memory>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

// Objects of a review are four levels below its root.
constexpr json::ParseOptions kConversionReviewOptions{.max_depth = 1024,
                                                      .skip_managed_fields_at = 4};

std::string complaint_about_object(json::Value original, json::Value converted,
                                   std::string_view version) {
  if (!converted.is_object()) return "a converted object is no object";
  if (converted["apiVersion"].string() != version) return "a converted object has another version";
  if (converted["kind"].string() != original["kind"].string()) return "a kind has changed";
  const json::Value metadata = converted["metadata"];
  if (!metadata.is_object()) return "a converted object has no metadata";
  for (const std::string_view field : std::array{"name", "namespace", "uid"}) {
    if (metadata[field].string_or_empty() != original["metadata"][field].string_or_empty()) {
      return "metadata." + std::string(field) + " has changed";
    }
  }
  return "";
}

std::string complaint_about_objects(json::Value request, json::Value converted) {
  const json::Value objects = request["objects"];
  if (converted.size() != objects.size()) {
    return "expected " + std::to_string(objects.size()) + " converted objects, got " +
           std::to_string(converted.size());
  }
  auto at = converted.elements().begin();
  for (const json::Value original : objects.elements()) {
    const std::string complaint =
        complaint_about_object(original, *at, request["desiredAPIVersion"].string_or_empty());
    if (!complaint.empty()) return complaint;
    ++at;
  }
  return "";
}

std::string complaint_about_failure(const ConversionCheck& result, json::Value response) {
  if (result.message.empty()) return "a failure without a message";
  if (result.message.find('\n') != std::string::npos) return "the message has several lines";
  if (!response["convertedObjects"].is_nothing()) return "a failure with objects";
  return "";
}

}  // namespace

std::string conversion_review(std::string_view desired_version,
                              std::span<const std::string> objects) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  writer.member("kind", "ConversionReview").member("apiVersion", "apiextensions.k8s.io/v1");
  writer.key("request").start_object().member("uid", kConversionUid);
  writer.member("desiredAPIVersion", desired_version).key("objects").start_array();
  for (const std::string& object : objects) writer.raw(object);
  writer.end_array().end_object().end_object();
  return text;
}

ConversionCheck accept_conversion(std::string_view review, std::string_view answer) {
  ConversionCheck result;
  const auto complain = [&result](std::string text) {
    result.complaint = std::move(text);
    return result;
  };
  const auto asked = json::parse_copy(review, kConversionReviewOptions);
  const auto answered = json::parse_copy(answer, kConversionReviewOptions);
  if (asked->error) return complain("the review is not JSON: " + asked->error->message());
  if (answered->error) return complain("the answer is not JSON: " + answered->error->message());
  const json::Value root = answered->root();
  if (root["apiVersion"].string() != "apiextensions.k8s.io/v1" ||
      root["kind"].string() != "ConversionReview") {
    return complain("the answer is no ConversionReview");
  }
  const json::Value request = asked->root()["request"];
  const json::Value response = root["response"];
  if (response["uid"].string() != request["uid"].string()) return complain("the uid differs");
  const std::string_view status = response["result"]["status"].string_or_empty();
  result.is_success = status == "Success";
  result.message = response["result"]["message"].string_or_empty();
  if (status == "Failure") return complain(complaint_about_failure(result, response));
  if (!result.is_success) return complain("the status is neither Success nor Failure");
  for (const json::Value object : response["convertedObjects"].elements()) {
    result.objects.push_back(json::to_text(object));
  }
  return complain(complaint_about_objects(request, response["convertedObjects"]));
}

}  // namespace dynamo::test

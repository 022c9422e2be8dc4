// Objects and AdmissionReviews for tests, from YAML text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "json/document.hpp"

// The least that a service needs for no rule to speak of it, in flow YAML.
#define DYNAMO_GOOD_SERVICE \
  "componentType: frontend, replicas: 1, extraPodSpec: {mainContainer: {image: a}}"
// The same without replicas.
#define DYNAMO_UNSCALED_SERVICE "componentType: frontend, extraPodSpec: {mainContainer: {image: a}}"

namespace dynamo::test {

// The one YAML (or JSON) document in `text`. Throws std::runtime_error, naming the place, when
// there is none, more than one, or a fault: that is a mistake in the test.
json::Document from_yaml(std::string_view text);

// A whole object of the kind, named "example" in namespace "default", with this spec (flow YAML).
std::string object_text(api::Kind kind, std::string_view spec);

// What goes into an AdmissionReview; views are copied into the text.
struct ReviewParts {
  std::string_view uid = "6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70";
  api::Kind kind = api::Kind::kGraphDeployment;
  api::Operation operation = api::Operation::kCreate;
  std::string_view sub_resource = {};
  std::string_view name = "example";
  std::string_view namespace_name = "default";
  std::optional<std::string_view> user = "jane@example.com";  // nothing: a review without userInfo
  json::Value object = {};
  json::Value old_object = {};
};

// The AdmissionReview as the API server writes it: absent objects as null.
std::string review_text(const ReviewParts& parts);

// A copy of `text` with the zero bytes behind it that the parser needs; `size` leaves them out.
struct PaddedText {
  explicit PaddedText(std::string_view text);
  std::string bytes;
  std::size_t size;
};

}  // namespace dynamo::test

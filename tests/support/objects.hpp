// Builds objects and AdmissionReviews for tests from YAML text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "json/document.hpp"

// The smallest service without any finding, in flow YAML.
#define DYNAMO_GOOD_SERVICE \
  "componentType: frontend, replicas: 1, extraPodSpec: {mainContainer: {image: a}}"
// Like DYNAMO_GOOD_SERVICE, without replicas.
#define DYNAMO_UNSCALED_SERVICE "componentType: frontend, extraPodSpec: {mainContainer: {image: a}}"

namespace dynamo::test {

// Parses the one YAML (or JSON) document in `text`. Throws std::runtime_error with the position if
// there is no document, more than one, or a syntax error: the test is wrong.
json::Document from_yaml(std::string_view text);

// An object of the kind with this spec (flow YAML), named "example" in namespace "default".
std::string object_text(api::Kind kind, std::string_view spec);

// Members of an AdmissionReview; views are copied into the text.
struct ReviewParts {
  std::string_view uid = "6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70";
  api::Kind kind = api::Kind::kGraphDeployment;
  api::Operation operation = api::Operation::kCreate;
  std::string_view sub_resource = {};
  std::string_view name = "example";
  std::string_view namespace_name = "default";
  std::optional<std::string_view> user = "jane@example.com";  // nullopt: no userInfo
  api::Version version = api::Version::kV1alpha1;             // of the objects
  std::optional<api::Version> client_version = {};            // nullopt: not converted
  json::Value object = {};
  json::Value old_object = {};
};

// Writes the AdmissionReview as the API server does: absent objects are null.
std::string review_text(const ReviewParts& parts);

// A copy of `text` followed by the zero bytes that the parser needs; `size` excludes them.
struct PaddedText {
  explicit PaddedText(std::string_view text);
  std::string bytes;
  std::size_t size;
};

}  // namespace dynamo::test

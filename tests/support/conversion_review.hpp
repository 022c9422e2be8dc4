// The API server's side of conversion: writes a ConversionReview, and accepts or rejects the
// response by the rules of a real API server.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::test {

inline constexpr std::string_view kConversionUid = "6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70";

// A review of these objects (JSON).
std::string conversion_review(std::string_view desired_version,
                              std::span<const std::string> objects);

// The API server's result for a response.
struct ConversionCheck {
  std::string complaint;  // empty, or why the response is invalid
  bool is_success = false;
  std::string message;               // of a failure
  std::vector<std::string> objects;  // converted, as JSON
};

// Checks `answer` against the review it responds to: version, kind and uid; the status; one object
// of the desired version for each object of the request, with the same kind, and metadata with the
// same name, namespace and uid. A failure must have a message of one line and no objects.
ConversionCheck accept_conversion(std::string_view review, std::string_view answer);

}  // namespace dynamo::test

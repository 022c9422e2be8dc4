// The API server's side of the admission protocol: accepts or rejects an AdmissionReview response
// by the rules of a real API server, applies the patch, and prints a denial as kubectl does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dynamo::test {

enum class Webhook : unsigned char { kValidating, kMutating };

// The API server's result for a response.
struct ResponseCheck {
  std::string complaint;  // empty, or why the response is invalid: "failed calling webhook"
  bool allowed = false;
  std::vector<std::string> warnings;
  std::string patch;  // decoded; empty when there is none
  std::string
      patched;  // the object of the review after the patch, as JSON; empty without an object
  std::string audit_key;
  std::string audit_value;
};

// Checks `answer` against the review it responds to: version, kind and uid; patch and patchType,
// only together and only from a mutating webhook; a patch that decodes and applies to the object.
// Also reports what a server would silently drop or truncate: warnings with control characters,
// over 256 characters, or over 4,096 together; audit keys that are no part of a qualified name; a
// denial without code, message, or the details that kubectl prints.
ResponseCheck accept_answer(std::string_view review, std::string_view answer, Webhook webhook);

// kubectl's standard error for the denial in `answer`.
std::string kubectl_text(std::string_view answer);

}  // namespace dynamo::test

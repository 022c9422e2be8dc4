// The API server's side of the admission protocol: it accepts or refuses an answer for the reasons
// for which a real one does, applies the patch, and prints a denial as kubectl does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dynamo::test {

enum class Webhook : unsigned char { kValidating, kMutating };

// What the API server makes of an answer.
struct Accepted {
  std::string complaint;  // empty, or why the answer is no valid one: "failed calling webhook"
  bool allowed = false;
  std::vector<std::string> warnings;
  std::string patch;  // decoded; empty when there is none
  std::string
      patched;  // the object of the review after the patch, as JSON; empty without an object
  std::string audit_key;
  std::string audit_value;
};

// Verifies `answer` against the review that it answers: version and kind of the answer, the uid,
// patch and patchType together and only from a mutating webhook, a patch that decodes and applies
// to the object; and what it would silently drop or cut: warnings with control characters, over 256
// characters, over 4,096 together; audit keys that are no part of a qualified name; a denial
// without code, message, or without the details that kubectl prints.
Accepted accept_answer(std::string_view review, std::string_view answer, Webhook webhook);

// What kubectl prints on standard error for the denial in `answer`.
std::string kubectl_text(std::string_view answer);

}  // namespace dynamo::test

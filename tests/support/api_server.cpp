#include "tests/support/api_server.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "api/admission_review.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

constexpr std::size_t kLongestWarning = 256;
constexpr std::size_t kAllWarnings = 4096;
constexpr std::size_t kLongestAuditKey = 63;
// Like the server, skips the content of managedFields without parsing it as JSON.
constexpr json::ParseOptions kReviewOptions{.skip_managed_fields_at = api::kReviewMetadataDepth};

std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t group = 0;
    std::size_t padding = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = text[at + i];
      const bool last_group = at + 4 == text.size();
      if (c == '=' && last_group && i >= 2) {
        ++padding;
        group <<= 6U;
        continue;
      }
      const std::size_t digit = kAlphabet.find(c);
      if (digit == std::string_view::npos || padding > 0) return std::nullopt;
      group = (group << 6U) | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i < 3 - padding; ++i) {
      bytes += static_cast<char>((group >> (16U - 8U * i)) & 0xFFU);
    }
  }
  return bytes;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Matches Go's unicode.IsControl, which includes U+0080 to U+009F (in UTF-8: byte C2 and one more).
bool has_control_character(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) <= 0x9F) {
      return true;
    }
  }
  return false;
}

bool is_audit_key(std::string_view key) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !key.empty() && key.size() <= kLongestAuditKey && alphanumeric(key.front()) &&
         alphanumeric(key.back()) && std::ranges::all_of(key, [&](char c) {
           return alphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

class Verification {
 public:
  Verification(std::string_view review, std::string_view answer, Webhook webhook)
      : review_(json::parse_copy(review, kReviewOptions)),
        answer_(json::parse_copy(answer)),
        webhook_(webhook) {}

  ResponseCheck run() {
    complain_about_envelope();
    if (result_.complaint.empty()) complain_about_patch();
    if (result_.complaint.empty()) complain_about_texts();
    if (result_.complaint.empty() && !result_.allowed) complain_about_status();
    return std::move(result_);
  }

 private:
  json::Value request() const { return review_->root()["request"]; }
  json::Value response() const { return answer_->root()["response"]; }
  void complain(std::string text) {
    if (result_.complaint.empty()) result_.complaint = std::move(text);
  }

  void complain_about_envelope() {
    if (review_->error) return complain("the review is not JSON: " + review_->error->message());
    if (answer_->error) return complain("the answer is not JSON: " + answer_->error->message());
    const json::Value answer = answer_->root();
    if (answer["apiVersion"].string() != "admission.k8s.io/v1" ||
        answer["kind"].string() != "AdmissionReview") {
      return complain("expected admission.k8s.io/v1 AdmissionReview, got " +
                      json::to_text(answer["apiVersion"]) + " " + json::to_text(answer["kind"]));
    }
    if (!response().is_object()) return complain("the answer has no response");
    if (response()["uid"].string() != request()["uid"].string()) {
      return complain("expected response.uid " + json::to_text(request()["uid"]) + ", got " +
                      json::to_text(response()["uid"]));
    }
    if (!response()["allowed"].boolean()) return complain("response.allowed is no boolean");
    result_.allowed = *response()["allowed"].boolean();
  }

  void complain_about_patch() {
    const json::Value object = request()["object"];
    result_.patched = object.is_object() ? json::to_text(object) : "";
    const json::Value patch = response()["patch"];
    const json::Value type = response()["patchType"];
    if (!patch.exists() && !type.exists()) return;
    if (webhook_ == Webhook::kValidating) return complain("a validating webhook may not patch");
    if (!patch.exists() || !type.exists())
      return complain("patch and patchType must come together");
    if (type.string() != "JSONPatch") return complain("patchType must be JSONPatch");
    if (patch.string_or_empty().empty()) return complain("the patch is empty, with a patchType");
    const auto decoded = decode_base64(patch.string_or_empty());
    if (!decoded) return complain("the patch is not base64");
    result_.patch = *decoded;
    if (!object.is_object()) return complain("there is no object to patch");
    const auto parsed = json::parse_copy(*decoded);
    if (parsed->error) return complain("the patch is not JSON: " + parsed->error->message());
    json::Document patched;
    if (const auto failure = json::apply_patch(object, parsed->root(), patched)) {
      return complain("the patch does not apply: " + *failure);
    }
    result_.patched = json::to_text(patched.root());
  }

  void complain_about_texts() {
    std::size_t total = 0;
    for (const json::Value warning : response()["warnings"].elements()) {
      const auto text = warning.string();
      if (!text) return complain("a warning is no string");
      if (has_control_character(*text)) return complain("a warning holds a control character");
      if (characters(*text) > kLongestWarning) return complain("a warning is too long");
      total += characters(*text);
      result_.warnings.emplace_back(*text);
    }
    if (total > kAllWarnings) complain("the warnings are too long together");
    for (const json::Member annotation : response()["auditAnnotations"].members()) {
      if (!is_audit_key(annotation.name)) complain("no audit key: " + std::string(annotation.name));
      if (!annotation.value.is_string()) complain("an audit annotation is no string");
      result_.audit_key = annotation.name;
      result_.audit_value = annotation.value.string_or_empty();
    }
  }

  void complain_about_status() {
    const json::Value status = response()["status"];
    const json::Value details = status["details"];
    if (status["status"].string() != "Failure") return complain("status.status is not Failure");
    if (status["code"].integer() == 403) return complain_about_refusal(status);
    if (status["code"].integer() != 422) return complain("status.code is not 422");
    if (status["reason"].string() != "Invalid") return complain("status.reason is not Invalid");
    if (status["message"].string_or_empty().empty()) return complain("status.message is empty");
    for (const char* const field : {"name", "group", "kind"}) {
      if (!details[field].is_string()) return complain(std::string("no status.details.") + field);
    }
    if (details["causes"].size() == 0) return complain("a denial without causes");
    for (const json::Value cause : details["causes"].elements()) {
      for (const char* const field : {"reason", "message", "field"}) {
        if (cause[field].string_or_empty().empty()) {
          return complain(std::string("a cause without ") + field);
        }
      }
    }
  }

  // A denial of the request as a whole.
  void complain_about_refusal(json::Value status) {
    if (status["reason"].string() != "Forbidden") return complain("status.reason is not Forbidden");
    if (status["message"].string_or_empty().empty()) return complain("status.message is empty");
    if (status["details"].exists()) complain("a refused request has details");
  }

  std::unique_ptr<json::ParsedText> review_;
  std::unique_ptr<json::ParsedText> answer_;
  Webhook webhook_;
  ResponseCheck result_;
};

}  // namespace

ResponseCheck accept_answer(std::string_view review, std::string_view answer, Webhook webhook) {
  return Verification(review, answer, webhook).run();
}

std::string kubectl_text(std::string_view answer) {
  const auto parsed = json::parse_copy(answer);
  const json::Value details = parsed->root()["response"]["status"]["details"];
  std::vector<std::string> lines;
  for (const json::Value cause : details["causes"].elements()) {
    std::string line = std::string(cause["field"].string_or_empty()) + ": " +
                       std::string(cause["message"].string_or_empty());
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  std::string text = "The " + std::string(details["kind"].string_or_empty()) + " \"" +
                     std::string(details["name"].string_or_empty()) + "\" is invalid: ";
  if (lines.size() == 1) return text + lines.front() + "\n";
  text += '\n';
  for (const std::string& line : lines) text += "* " + line + "\n";
  return text;
}

}  // namespace dynamo::test

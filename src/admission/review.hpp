// Handles one AdmissionReview from the request's bytes to the response's bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "admission/answer.hpp"
#include "admission/evaluate.hpp"
#include "admission/request_evaluator.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "json/parser.hpp"

namespace dynamo::admission {

// Decision of the webhook about one request.
enum class ReviewVerdict : unsigned char {
  kAllowed,
  kDenied,
  kAudited,     // would have been denied; allowed because denials are not enforced
  kExempted,    // allowed without validation
  kBadRequest,  // not an AdmissionReview, or not of the path's kind
};

// The verdict of one review and its reasons, for metrics and logs. Views are valid until the
// reviewer is used again and as long as the body is.
struct ReviewResult {
  ReviewVerdict verdict = ReviewVerdict::kBadRequest;
  unsigned http_status = 200;
  const api::AdmissionRequest* request = nullptr;  // null if the envelope could not be read
  const Decision* decision = nullptr;              // null for a bad request
  std::optional<json::ParseFailure> parse_failure = std::nullopt;
};

// Reviews requests one after the other with the same memory. Not thread-safe: one per thread.
class Reviewer {
 public:
  struct Limits {
    std::size_t max_depth = 128;
    // Memory above these sizes is freed after a request that needed more.
    std::size_t kept_nodes = 16 * 1024;
  };

  Reviewer(Enforcement enforcement, const Limits& limits)
      : enforcement_(enforcement), limits_(limits) {}

  // Parses `body` in place (json::kParsePadding zero bytes must follow it), evaluates it, and
  // appends the response to `answer`: JSON with HTTP status 200, otherwise one line of plain text.
  // Throws like RequestEvaluator::evaluate(), before anything is appended.
  ReviewResult review(const Route& route, std::span<char> body, const EvaluationInputs& inputs,
                      std::string& answer);

  // Frees excess memory of the last review, whose result becomes invalid. Otherwise costs two
  // comparisons. The next review does the same when it begins.
  void give_back() {
    if (document_.capacity() > limits_.kept_nodes) [[unlikely]] {
      request_ = {};
      document_.shrink_to(limits_.kept_nodes);
    }
    request_evaluator_.shrink_to(limits_.kept_nodes);
  }

  // The uid of the current or last request; empty if its envelope was not read. For the log line
  // about an exception from review().
  std::string_view last_uid() const { return request_.uid; }

 private:
  ReviewResult bad_request(std::string_view where, std::string_view reason, std::string& answer);
  std::optional<ReviewResult> refuse_envelope(const Route& route, const api::ClusterFacts& facts,
                                              std::string& answer);
  bool has_kind_of(const Route& route) const;

  Enforcement enforcement_;
  Limits limits_;
  json::Parser parser_;
  json::Document document_;
  api::AdmissionRequest request_;
  RequestEvaluator request_evaluator_;
};

}  // namespace dynamo::admission

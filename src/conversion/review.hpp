// Answers a ConversionReview (apiextensions.k8s.io/v1) from the request's bytes to the response's
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/admission_review.hpp"
#include "conversion/convert.hpp"
#include "conversion/version.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"

namespace dynamo::conversion {

enum class ReviewOutcome : std::uint8_t {
  kConverted,   // status Success
  kFailed,      // status Failure: an object cannot be converted
  kBadRequest,  // not a ConversionReview; HTTP status 400
};

// The outcome of one review, for metrics and logs. Views are valid until the reviewer is used again
// and as long as the body is.
struct ConversionReviewResult {
  ReviewOutcome outcome = ReviewOutcome::kBadRequest;
  std::string_view uid = {};
  std::optional<Version> target = std::nullopt;  // nullopt: unknown desiredAPIVersion
  std::size_t objects = 0;                       // in the request
  json::Value object = {};   // the one that failed, otherwise the first; absent without objects
  std::string message = {};  // of a failure, as in the response
  std::optional<json::ParseFailure> parse_failure = std::nullopt;
};

// Reviews requests one after the other with the same memory. Not thread-safe: one per thread.
class ConversionReviewer {
 public:
  struct Limits {
    std::size_t max_depth = 128;
    // Memory above this size is freed after a request that needed more.
    std::size_t kept_nodes = 16 * 1024;
    // Names and values of a review, and the length of its response. A body of 7 MiB with ordinary
    // objects stays below both; small hostile objects would need many times their size. The size of
    // the body limits the response, too (api/review_memory.hpp).
    std::size_t max_values = 1'000'000;
    std::size_t max_answer_bytes = std::size_t{24} << 20U;
  };

  explicit ConversionReviewer(const Limits& limits) : limits_(limits) {}

  // Parses `body` in place (json::kParsePadding zero bytes must follow it), converts its objects in
  // their order, and appends the response to `answer`: JSON, or one line of plain text for a bad
  // request. The first object that cannot be converted ends the review, and the response then has
  // no objects. Leaves metadata.managedFields out, which the API server takes from the original.
  ConversionReviewResult review(std::span<char> body, std::string& answer);

  // Frees excess memory of the last review, whose result becomes invalid. The next review does the
  // same when it begins.
  void give_back();

  // The uid of the current or last request; empty if its envelope was not read. For the log line
  // about an exception from review().
  std::string_view last_uid() const { return request_.uid; }

 private:
  // Views into the parsed review.
  struct Request {
    std::string_view uid = {};
    std::string_view version = {};
    json::Value objects = {};  // a list, or absent
  };

  std::optional<api::EnvelopeError> read_envelope();
  // Appends the converted objects, or returns why one cannot be converted with `memory` bytes.
  std::optional<std::string> convert_objects(ConversionReviewResult& result, std::size_t memory,
                                             std::string& answer);
  std::optional<std::string> convert_object(json::Value object, Version target,
                                            std::string& answer);

  Limits limits_;
  json::Parser parser_;
  json::Document document_;
  Request request_;
  Converter converter_;
};

}  // namespace dynamo::conversion

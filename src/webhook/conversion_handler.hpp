// Answers ConversionReviews: passes each to the reviewer, then counts and logs the result.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "conversion/review.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "server/handler.hpp"
#include "webhook/metrics.hpp"

namespace dynamo::webhook {

// The path in `spec.conversion` of the operator's CustomResourceDefinitions.
inline constexpr std::string_view kConversionPath = "/convert";

// Shared by all handlers of a process. The references outlive the handlers, and are safe to use
// from several threads.
struct ConversionServices {
  WebhookMetrics& metrics;
  runtime::Logger& logger;
  const runtime::Clock& clock;
};

// One per event loop. A defect is logged with the uid and leaves as an exception; the session
// answers 500.
class ConversionHandler final : public server::RequestHandler {
 public:
  ConversionHandler(const ConversionServices& services, std::size_t max_json_depth);

  bool knows(std::string_view path) const override { return path == kConversionPath; }
  void handle(const server::HttpRequest& request, server::HttpAnswer& answer) override;

 private:
  conversion::ConversionReviewResult review(const server::HttpRequest& request,
                                            server::HttpAnswer& answer);
  void count(const conversion::ConversionReviewResult& result, std::chrono::nanoseconds duration);
  void log_defect(std::string_view reason);
  void log_failure(const conversion::ConversionReviewResult& result);

  ConversionServices services_;
  conversion::ConversionReviewer reviewer_;
};

}  // namespace dynamo::webhook

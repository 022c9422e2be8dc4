#include "webhook/conversion_handler.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "api/kind.hpp"
#include "conversion/convert.hpp"
#include "text/presentable.hpp"

namespace dynamo::webhook {
namespace {

using conversion::ConversionReviewResult;
using conversion::ReviewOutcome;

static_assert(kConvertedVersionNames[static_cast<std::size_t>(conversion::Version::kV1beta1)] ==
              "v1beta1");

// The limit of a kind and of each part of a name in a log line; valid ones have at most 253 bytes.
constexpr std::size_t kLongestName = 253;

// The kind of the first object, or of the one that failed; nullopt if it has one version only.
std::optional<api::Kind> kind_of(const ConversionReviewResult& result) {
  const std::string_view name = result.object["kind"].string_or_empty();
  if (!conversion::has_two_versions(name)) return std::nullopt;
  return std::ranges::find(api::kKinds, name, &api::KindNames::name)->kind;
}

std::size_t version_label(const ConversionReviewResult& result) {
  return result.target ? static_cast<std::size_t>(*result.target)
                       : kConvertedVersionNames.size() - 1;
}

std::string presentable(json::Value text) {
  std::string shown;
  text::append_presentable(shown, text.string_or_empty(), kLongestName);
  return shown;
}

}  // namespace

ConversionHandler::ConversionHandler(const ConversionServices& services, std::size_t max_json_depth)
    : services_(services), reviewer_({.max_depth = max_json_depth}) {}

void ConversionHandler::handle(const server::HttpRequest& request, server::HttpAnswer& answer) {
  const auto started = services_.clock.monotonic();
  const ConversionReviewResult result = review(request, answer);
  count(result, services_.clock.monotonic() - started);
  if (result.outcome == ReviewOutcome::kFailed) log_failure(result);
  reviewer_.give_back();
}

ConversionReviewResult ConversionHandler::review(const server::HttpRequest& request,
                                                 server::HttpAnswer& answer) {
  try {
    ConversionReviewResult result = reviewer_.review(request.body, answer.body);
    if (result.outcome == ReviewOutcome::kBadRequest) {
      answer.status = 400;
      answer.content_type = "text/plain; charset=utf-8";
    }
    return result;
  } catch (const std::bad_alloc&) {
    throw;  // no defect
  } catch (const std::exception& error) {
    log_defect(error.what());
    throw;
  } catch (...) {
    log_defect("not an exception of the standard library");
    throw;
  }
}

void ConversionHandler::count(const ConversionReviewResult& result,
                              std::chrono::nanoseconds duration) {
  WebhookMetrics& metrics = services_.metrics;
  const std::optional<api::Kind> kind = kind_of(result);
  if (!kind) {
    metrics.parse_failures
        .at(result.parse_failure ? static_cast<std::size_t>(*result.parse_failure) : kNotAReview)
        .increment();
    return;
  }
  const std::size_t version = version_label(result);
  const bool failed = result.outcome == ReviewOutcome::kFailed;
  const auto status = failed ? ConversionOutcome::kFailure : ConversionOutcome::kSuccess;
  metrics.conversion_duration.at(*kind, version, status).observe(duration);
  metrics.conversions.at(*kind, version, status).increment();
  if (!failed) metrics.converted_objects.at(*kind, version).increment(result.objects);
}

void ConversionHandler::log_defect(std::string_view reason) {
  services_.logger.log(runtime::Level::kError, "defect in a conversion",
                       {{"uid", reviewer_.last_uid()}, {"reason", reason}});
}

// The message has names of fields and positions, but no values of the object.
void ConversionHandler::log_failure(const ConversionReviewResult& result) {
  const json::Value metadata = result.object["metadata"];
  services_.logger.log(runtime::Level::kWarning, "conversion failed",
                       {{"uid", result.uid},
                        {"kind", presentable(result.object["kind"])},
                        {"namespace", presentable(metadata["namespace"])},
                        {"name", presentable(metadata["name"])},
                        {"version", kConvertedVersionNames.at(version_label(result))},
                        {"objects", result.objects},
                        {"reason", result.message}});
}

}  // namespace dynamo::webhook

#include "reconciler/engine/failure_reporter.hpp"

#include <utility>

namespace dynamo::reconciler {
namespace {

constexpr int kFirstServerError = 500;

kube::Event event_of(const FailureReporter::Report& report, kube::ObjectReference regarding) {
  std::string note = report.error_type == "webhook"
                         ? "A webhook that the API server calls fails, the controller retries: "
                         : "A call to the API server fails, the controller retries: ";
  note += report.error.text;
  return {.regarding = std::move(regarding),
          .is_warning = true,
          .reason = report.error_type == "webhook" ? "WebhookCallFailed" : "APIServerCallFailed",
          .action = "Reconcile",
          .note = std::move(note)};
}

}  // namespace

bool is_outage(const kube::Error& error) {
  switch (error.failure) {
    case kube::FailureKind::kConnect:
    case kube::FailureKind::kDeadline:
    case kube::FailureKind::kProtocol:
      return true;
    case kube::FailureKind::kStatus:
      return error.http_status >= kFirstServerError;
    default:
      return false;
  }
}

void FailureReporter::failed(const Report& report, const kube::Resource& resource,
                             const kube::Object* object,
                             std::chrono::steady_clock::time_point now) {
  log(report, now);
  if (object == nullptr || !record_) return;
  if (causes_.size() >= kMaxObjects && !causes_.contains(report.key)) return;
  std::string& cause = causes_[report.key];
  if (cause == report.error_type) return;
  cause = report.error_type;
  record_(event_of(report, kube::reference_to(resource, *object)));
}

void FailureReporter::log(const Report& report, std::chrono::steady_clock::time_point now) {
  auto at = logged_.find(report.error_type);
  if (at != logged_.end() && now - at->second.at < kLogPause) {
    ++at->second.omitted;
    return;
  }
  if (at == logged_.end()) at = logged_.emplace(report.error_type, LoggedFailure{}).first;
  logger_.log(runtime::Level::kWarning, "a call to the API server fails, the controller retries",
              {{"controller", report.controller},
               {"key", to_string(report.key)},
               {"error_type", report.error_type},
               {"error", report.error.text},
               {"similar_lines_omitted", at->second.omitted}});
  at->second = {.at = now};
}

}  // namespace dynamo::reconciler

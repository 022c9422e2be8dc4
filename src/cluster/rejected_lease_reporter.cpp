#include "cluster/rejected_lease_reporter.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <utility>

#include "cluster/lease_trust.hpp"
#include "kube/controller/event_series.hpp"

namespace dynamo::cluster {
namespace {

using admission::LeaseRejection;

constexpr std::string_view kReporter = "dynamo-webhook";
constexpr int kMaxTries = 3;
constexpr std::chrono::seconds kPatience{5};

// A permanent refusal: the API server is neither overloaded nor broken.
bool is_refused(const kube::Error& error) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  return error.failure == kube::FailureKind::kStatus && error.http_status != kTooManyRequests &&
         error.http_status < kServerErrors;
}

}  // namespace

RejectedLeaseReporter::RejectedLeaseReporter(boost::asio::io_context& loop, kube::Client client,
                                             const LeaseRecords& records,
                                             const runtime::Clock& clock, runtime::Logger& logger,
                                             RejectedLeaseReporterOptions options)
    : notice_(loop),
      pause_(loop),
      client_(client.with_deadline(kPatience)),
      records_(records),
      clock_(clock),
      logger_(logger),
      options_(options) {}

void RejectedLeaseReporter::notice(const std::string& namespace_name, const LeaseRecord& lease) {
  const LeaseRejection rejection = admission::rejection_of(lease.view(), clock_.wall());
  if (rejection == LeaseRejection::kNone || waiting_.size() >= options_.most_waiting) return;
  const bool is_new =
      reported_.try_emplace(Key{namespace_name, rejection}, clock_.monotonic()).second;
  if (!is_new) return;
  waiting_.push_back({.namespace_name = namespace_name, .lease = lease, .rejection = rejection});
  notice_.cancel();
}

aio::Task<> RejectedLeaseReporter::run() {
  for (;;) {
    check_all_leases();
    if (waiting_.empty()) {
      co_await wait(notice_, options_.sweep);
      continue;
    }
    for (std::size_t count = 0; count < options_.batch && !waiting_.empty(); ++count) {
      RejectedLease next = std::move(waiting_.front());
      waiting_.pop_front();
      co_await report(std::move(next));
    }
    co_await wait(pause_, options_.pace);
  }
}

void RejectedLeaseReporter::check_all_leases() {
  forget_old();
  for (const auto& [namespace_name, lease] : records_) notice(namespace_name, lease);
}

void RejectedLeaseReporter::forget_old() {
  const auto now = clock_.monotonic();
  std::erase_if(reported_,
                [&](const auto& entry) { return now - entry.second >= options_.repeat; });
}

aio::Task<> RejectedLeaseReporter::report(RejectedLease rejected) {
  if (rejected.tries == 0) log(rejected);
  const auto written =
      co_await client_.create(kube::kEvents, rejected.namespace_name, event(rejected));
  if (written || written.error().is("AlreadyExists")) {  // another replica was faster
    events_fail_ = false;
    co_return;
  }
  const kube::Error& error = written.error();
  if (error.failure == kube::FailureKind::kCancelled) co_return;
  if (!events_fail_) {
    logger_.log(runtime::Level::kWarning, "event about a lease not written",
                {{"namespace", rejected.namespace_name}, {"reason", error.text}});
  }
  events_fail_ = true;
  if (is_refused(error) || ++rejected.tries >= kMaxTries) co_return;
  waiting_.push_back(std::move(rejected));
}

std::string RejectedLeaseReporter::text(const RejectedLease& rejected) const {
  return describe(rejected.rejection, rejected.namespace_name, rejected.lease, options_.longest,
                  clock_.wall());
}

void RejectedLeaseReporter::log(const RejectedLease& rejected) const {
  logger_.log(
      runtime::Level::kWarning, "lease not trusted: its namespace is validated",
      {{"lease", rejected.namespace_name + '/' + std::string(admission::kNamespaceScopeLease)},
       {"holder", rejected.lease.holder},
       {"doubt", admission::name(rejected.rejection)},
       {"reason", text(rejected)}});
}

std::string RejectedLeaseReporter::event(const RejectedLease& rejected) const {
  const auto now = clock_.wall();
  const auto hours = std::chrono::floor<std::chrono::hours>(now.time_since_epoch()).count();
  const std::string lease(admission::kNamespaceScopeLease);
  kube::EventSeries series;
  series.event = {.regarding = {.api_version = kube::kLeases.api_version(),
                                .kind = std::string(kube::kLeases.kind),
                                .namespace_name = rejected.namespace_name,
                                .name = lease,
                                .uid = rejected.lease.uid},
                  .is_warning = true,
                  .reason = "LeaseNotBelieved",
                  .action = "JudgeNamespace",
                  .note = "The namespace is still validated: " + text(rejected)};
  // Identical for all replicas, so that they write one Event together.
  series.name =
      lease + '.' + std::string(admission::name(rejected.rejection)) + '.' + std::to_string(hours);
  series.first = now;
  series.count = 1;
  return kube::event_body(series, kReporter, kReporter);
}

aio::Task<> RejectedLeaseReporter::wait(boost::asio::steady_timer& timer,
                                        std::chrono::milliseconds duration) {
  boost::system::error_code cancelled;
  timer.expires_after(duration);
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
}

}  // namespace dynamo::cluster

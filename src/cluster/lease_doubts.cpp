#include "cluster/lease_doubts.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <utility>

#include "cluster/lease_trust.hpp"
#include "kube/event_series.hpp"

namespace dynamo::cluster {
namespace {

using admission::LeaseDoubt;

constexpr std::string_view kReporter = "dynamo-webhook";
constexpr int kMostTries = 3;
constexpr std::chrono::seconds kPatience{5};

// A permanent refusal: the API server is neither overloaded nor broken.
bool is_refused(const kube::Error& error) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  return error.failure == kube::Failure::kStatus && error.http_status != kTooManyRequests &&
         error.http_status < kServerErrors;
}

}  // namespace

LeaseDoubts::LeaseDoubts(boost::asio::io_context& loop, kube::Client client,
                         const LeaseRecords& records, const runtime::Clock& clock,
                         runtime::Logger& logger, LeaseDoubtsOptions options)
    : notice_(loop),
      pause_(loop),
      client_(client.with_deadline(kPatience)),
      records_(records),
      clock_(clock),
      logger_(logger),
      options_(options) {}

void LeaseDoubts::notice(const std::string& namespace_name, const LeaseRecord& lease) {
  const LeaseDoubt doubt = admission::doubt_of(lease.view(), clock_.wall());
  if (doubt == LeaseDoubt::kNone || waiting_.size() >= options_.most_waiting) return;
  const bool is_new = reported_.try_emplace(Key{namespace_name, doubt}, clock_.monotonic()).second;
  if (!is_new) return;
  waiting_.push_back({.namespace_name = namespace_name, .lease = lease, .doubt = doubt});
  notice_.cancel();
}

aio::Task<> LeaseDoubts::run() {
  for (;;) {
    look_at_all();
    if (waiting_.empty()) {
      co_await wait(notice_, options_.sweep);
      continue;
    }
    for (std::size_t count = 0; count < options_.batch && !waiting_.empty(); ++count) {
      Doubted next = std::move(waiting_.front());
      waiting_.pop_front();
      co_await report(std::move(next));
    }
    co_await wait(pause_, options_.pace);
  }
}

void LeaseDoubts::look_at_all() {
  forget_old();
  for (const auto& [namespace_name, lease] : records_) notice(namespace_name, lease);
}

void LeaseDoubts::forget_old() {
  const auto now = clock_.monotonic();
  std::erase_if(reported_,
                [&](const auto& entry) { return now - entry.second >= options_.repeat; });
}

aio::Task<> LeaseDoubts::report(Doubted doubted) {
  if (doubted.tries == 0) log(doubted);
  const auto written =
      co_await client_.create(kube::kEvents, doubted.namespace_name, event(doubted));
  if (written || written.error().is("AlreadyExists")) {  // another replica was faster
    events_fail_ = false;
    co_return;
  }
  const kube::Error& error = written.error();
  if (error.failure == kube::Failure::kCancelled) co_return;
  if (!events_fail_) {
    logger_.log(runtime::Level::kWarning, "event about a lease not written",
                {{"namespace", doubted.namespace_name}, {"reason", error.text}});
  }
  events_fail_ = true;
  if (is_refused(error) || ++doubted.tries >= kMostTries) co_return;
  waiting_.push_back(std::move(doubted));
}

std::string LeaseDoubts::text(const Doubted& doubted) const {
  return describe(doubted.doubt, doubted.namespace_name, doubted.lease, options_.longest,
                  clock_.wall());
}

void LeaseDoubts::log(const Doubted& doubted) const {
  logger_.log(
      runtime::Level::kWarning, "lease not trusted: its namespace is validated",
      {{"lease", doubted.namespace_name + '/' + std::string(admission::kNamespaceScopeLease)},
       {"holder", doubted.lease.holder},
       {"doubt", admission::name(doubted.doubt)},
       {"reason", text(doubted)}});
}

std::string LeaseDoubts::event(const Doubted& doubted) const {
  const auto now = clock_.wall();
  const auto hours = std::chrono::floor<std::chrono::hours>(now.time_since_epoch()).count();
  const std::string lease(admission::kNamespaceScopeLease);
  kube::EventSeries series;
  series.event = {.regarding = {.api_version = kube::kLeases.api_version(),
                                .kind = std::string(kube::kLeases.kind),
                                .namespace_name = doubted.namespace_name,
                                .name = lease,
                                .uid = doubted.lease.uid},
                  .is_warning = true,
                  .reason = "LeaseNotBelieved",
                  .action = "JudgeNamespace",
                  .note = "The namespace is still validated: " + text(doubted)};
  // Identical for all replicas, so that they write one Event together.
  series.name =
      lease + '.' + std::string(admission::name(doubted.doubt)) + '.' + std::to_string(hours);
  series.first = now;
  series.count = 1;
  return kube::event_body(series, kReporter, kReporter);
}

aio::Task<> LeaseDoubts::wait(boost::asio::steady_timer& timer,
                              std::chrono::milliseconds duration) {
  boost::system::error_code cancelled;
  timer.expires_after(duration);
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
}

}  // namespace dynamo::cluster

#include "cluster/marker_lease.hpp"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace dynamo::cluster {
namespace {

constexpr std::chrono::seconds kLongestCall{5};
constexpr std::chrono::seconds kFirstPause{1};
constexpr std::size_t kMaxSent = 16;
constexpr std::chrono::hours kReportedAgain{1};
constexpr int kRounds = 3;  // attempts to read and write while another client writes in between

// Reading and writing fit into one interval, so that an attempt ends before the next one is due.
std::chrono::milliseconds call_deadline(const MarkerLeaseOptions& options) {
  const auto half = std::chrono::ceil<std::chrono::milliseconds>(options.interval / 2);
  return std::min<std::chrono::milliseconds>(half, kLongestCall);
}

// How long after its renewal a replica counts as alive: the maximum time for the next two renewals.
std::chrono::nanoseconds life_of_replica(const MarkerLeaseOptions& options) {
  return std::min<std::chrono::nanoseconds>(options.duration,
                                            2 * (options.interval + call_deadline(options)));
}

std::string lease_name(const MarkerLeaseOptions& options) {
  return options.namespace_name + "/" + std::string(admission::kNamespaceScopeLease);
}

std::string held_by_other(const MarkerLeaseOptions& options, const std::string& holder) {
  return "lease " + lease_name(options) + " is held by \"" + holder + "\", we are " +
         options.identity +
         ": if that is an operator of yours, stop it or give its version as --operator-version; if "
         "not, delete the Lease and let only operators write it (deploy/policies)";
}

}  // namespace

MarkerLease::MarkerLease(boost::asio::io_context& loop, kube::Transport& transport,
                         MarkerLeaseOptions options, const runtime::Clock& clock,
                         runtime::Logger& logger, std::function<void(const MarkerLeaseLoss&)> ended)
    : pause_(loop),
      options_(std::move(options)),
      client_(transport, call_deadline(options_)),
      clock_(clock),
      logger_(logger),
      ended_(std::move(ended)) {}

aio::Task<> MarkerLease::run() {
  std::chrono::nanoseconds retry = kFirstPause;
  while (!is_over_) {
    const auto began = clock_.monotonic();
    const Outcome outcome = co_await attempt();
    if (outcome.is_cancelled) co_return;
    if (outcome.other_holder) {
      note_held_by(*outcome.other_holder);
    } else if (outcome.is_raced) {
      note_raced(outcome.error);
    } else if (!outcome.written && note_failure(outcome.error)) {
      end("lease " + lease_name(options_) + " must be renewed every " +
          std::to_string(std::chrono::ceil<std::chrono::milliseconds>(options_.interval).count()) +
          " ms; " + std::to_string(failures_in_a_row_) +
          " tries in a row failed, the last: " + outcome.error);
    }
    if (is_over_) co_return;
    // The first Lease is acquired as soon as possible; later the interval is measured between
    // attempts.
    auto pause = options_.interval;
    if (!held_) {
      retry = std::min<std::chrono::nanoseconds>(retry, options_.interval);
      pause = retry;
      retry *= 2;
    }
    const auto spent = std::chrono::nanoseconds(clock_.monotonic() - began);
    boost::system::error_code cancelled;
    pause_.expires_after(std::max(pause - spent, std::chrono::nanoseconds(0)));
    co_await pause_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
  }
}

MarkerLease::Outcome MarkerLease::failed(const kube::Error& error) {
  Outcome outcome;
  outcome.error = error.text;
  outcome.is_cancelled = error.failure == kube::FailureKind::kCancelled;
  return outcome;
}

aio::Task<MarkerLease::Outcome> MarkerLease::attempt() {
  for (int round = 0;; ++round) {
    auto read = co_await client_.get(kube::kLeases, options_.namespace_name,
                                     std::string(admission::kNamespaceScopeLease));
    std::optional<kube::Object> found;
    std::optional<LeaseRecord> record;
    if (read) {
      found = *std::move(read);
      record = read_lease(found->root()["spec"]);
      record->rejection = options_.trust.rejection(options_.namespace_name, *record);
    } else if (!read.error().is("NotFound")) {
      co_return failed(read.error());
    }
    const MarkerStep step = marker_step(record, options_.identity, clock_.wall());
    if (step == MarkerStep::kYield) co_return Outcome{.other_holder = record->holder};
    if (step == MarkerStep::kRenew) note_others(*record);
    if (step == MarkerStep::kTakeOver) note_taken_over(*record);
    const auto written = co_await write(found, step);
    if (written) {
      note_written(*written);
      co_return Outcome{.written = true};
    }
    // Another client was faster: its write decides our next step.
    const bool is_raced = written.error().is("Conflict") || written.error().is("AlreadyExists") ||
                          (found && written.error().is("NotFound"));
    if (!is_raced) co_return failed(written.error());
    if (round + 1 == kRounds) {
      co_return Outcome{.error = written.error().text, .is_raced = true};
    }
  }
}

aio::Task<kube::Result<kube::Object>> MarkerLease::write(const std::optional<kube::Object>& found,
                                                         MarkerStep step) {
  // Rounded as the API stores it, to recognise our own write.
  const auto now = std::chrono::floor<std::chrono::microseconds>(clock_.wall());
  std::string body = marker_body(found ? found->root() : json::Value{}, step, options_, now);
  if (sent_.size() == kMaxSent) sent_.erase(sent_.begin());
  sent_.push_back(now);
  kube::Result<kube::Object> written = kube::Object{};
  if (step == MarkerStep::kCreate) {
    written = co_await client_.create(kube::kLeases, options_.namespace_name, std::move(body));
  } else {
    written =
        co_await client_.update(kube::kLeases, options_.namespace_name,
                                std::string(admission::kNamespaceScopeLease), std::move(body));
  }
  if (written) sent_ = {now};
  co_return written;
}

void MarkerLease::note_written(const kube::Object& object) {
  last_write_.uid = object.uid();
  last_write_.resource_version = object.resource_version();
  ++renewals_;
  if (!held_) {
    logger_.log(runtime::Level::kInfo, "marker lease held",
                {{"lease", lease_name(options_)}, {"holder", options_.identity}});
  } else if (failures_in_a_row_ > 0) {
    logger_.log(runtime::Level::kInfo, "marker lease renewed again",
                {{"lease", lease_name(options_)}, {"failures", failures_in_a_row_}});
  }
  held_ = true;
  failures_in_a_row_ = 0;
  last_error_.clear();
}

void MarkerLease::note_others(const LeaseRecord& found) {
  if (!found.renew_time || is_of_us(found)) return;
  const auto now = clock_.wall();
  const bool is_forged =
      *found.renew_time > now && *found.renew_time - now > admission::kFurthestAhead;
  if (is_forged) return;
  shared_until_ =
      *found.renew_time + std::chrono::ceil<std::chrono::microseconds>(life_of_replica(options_));
}

void MarkerLease::note_taken_over(const LeaseRecord& found) {
  const admission::LeaseRejection rejection = admission::rejection_of(found.view(), clock_.wall());
  if (rejection == admission::LeaseRejection::kNone || !count_conflict(LeaseConflict::kForged))
    return;
  logger_.log(runtime::Level::kWarning, "marker lease of another holder not trusted",
              {{"lease", lease_name(options_)},
               {"holder", found.holder},
               {"reason", admission::name(rejection)}});
}

bool MarkerLease::is_of_us(const LeaseRecord& found) const {
  return found.holder == options_.identity && found.renew_time &&
         std::ranges::find(sent_, *found.renew_time) != sent_.end();
}

bool MarkerLease::note_failure(const std::string& error) {
  ++failures_;
  const bool is_first = last_error_.empty();
  last_error_ = error;
  if (is_first) {
    logger_.log(runtime::Level::kWarning,
                held_ ? "marker lease not renewed" : "marker lease not held yet",
                {{"lease", lease_name(options_)}, {"reason", error}});
  }
  if (!held_) return false;
  ++failures_in_a_row_;
  return failures_in_a_row_ >= tolerated_failures(options_);
}

void MarkerLease::note_held_by(const std::string& holder) {
  held_ = false;
  failures_in_a_row_ = 0;
  last_write_ = {};
  last_error_ = held_by_other(options_, holder);
  if (!count_conflict(LeaseConflict::kHeld)) return;
  logger_.log(runtime::Level::kWarning,
              "marker lease has another holder; its namespace is still validated",
              {{"reason", last_error_}});
}

// Whether the Lease is still ours is unknown; the next attempt reads it.
void MarkerLease::note_raced(const std::string& error) {
  failures_in_a_row_ = 0;
  last_error_ = error;
  if (!count_conflict(LeaseConflict::kRaced)) return;
  logger_.log(runtime::Level::kWarning, "marker lease is constantly changed by another writer",
              {{"lease", lease_name(options_)}, {"reason", error}});
}

bool MarkerLease::count_conflict(LeaseConflict conflict) {
  ++conflicts_;
  const auto now = clock_.monotonic();
  auto& last_report = reported_[static_cast<std::size_t>(conflict)];
  if (last_report && now - *last_report < kReportedAgain) return false;
  last_report = now;
  return true;
}

void MarkerLease::end(std::string text) {
  is_over_ = true;
  held_ = false;
  logger_.log(runtime::Level::kError, "marker lease lost", {{"reason", text}});
  ended_({.text = std::move(text)});
}

aio::Task<> MarkerLease::release() {
  if (is_over_ || sent_.empty()) co_return;
  held_ = false;
  const std::string name(admission::kNamespaceScopeLease);
  const bool is_shared = shared_until_ && *shared_until_ > clock_.wall();
  // After a write without an answer, the stored Lease may be ours.
  if (!is_shared && (last_write_.uid.empty() || sent_.size() > 1)) {
    const auto read = co_await client_.get(kube::kLeases, options_.namespace_name, name);
    if (!read) {
      log_release(read.error());
      co_return;
    }
    if (is_of_us(read_lease(read->root()["spec"]))) {
      last_write_.uid = read->uid();
      last_write_.resource_version = read->resource_version();
    }
  }
  if (is_shared || last_write_.uid.empty()) {
    log_left_to_another();
    co_return;
  }
  const auto removed =
      co_await client_.remove(kube::kLeases, options_.namespace_name, name, last_write_);
  if (removed) {
    logger_.log(runtime::Level::kInfo, "marker lease deleted", {{"lease", lease_name(options_)}});
  } else {
    log_release(removed.error());
  }
}

void MarkerLease::log_left_to_another() const {
  logger_.log(runtime::Level::kInfo, "marker lease left to another replica",
              {{"lease", lease_name(options_)}});
}

void MarkerLease::log_release(const kube::Error& error) const {
  if (error.is("NotFound")) {
    logger_.log(runtime::Level::kInfo, "marker lease deleted", {{"lease", lease_name(options_)}});
  } else if (error.is("Conflict")) {
    log_left_to_another();
  } else {
    logger_.log(runtime::Level::kWarning, "marker lease left behind; it expires by itself",
                {{"lease", lease_name(options_)}, {"reason", error.text}});
  }
}

}  // namespace dynamo::cluster

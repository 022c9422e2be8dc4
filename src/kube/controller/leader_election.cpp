#include "kube/controller/leader_election.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

#include "aio/backoff.hpp"
#include "aio/pause.hpp"
#include "text/micro_time.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;

// Written from our state, or only by the server.
constexpr std::array<std::string_view, 6> kOwnMetadata{"name",   "namespace",   "resourceVersion",
                                                       "labels", "annotations", "managedFields"};

// Labels or annotations: ours, and those of other clients.
void write_map(json::Writer& writer, std::string_view name,
               std::span<const std::pair<std::string, std::string>> ours, json::Value found) {
  if (ours.empty() && found.size() == 0) return;
  writer.key(name).start_object();
  std::vector<std::string_view> own;
  own.reserve(ours.size());
  for (const auto& [key, value] : ours) {
    if (!value.empty()) writer.member(key, value);
    own.emplace_back(key);
  }
  write_foreign_fields(writer, found, own);
  writer.end_object();
}

// How long a candidate waits for the holder.
milliseconds patience(const ObservedLease& lease, const ElectionOptions& options) {
  const milliseconds foreign = std::min(lease.duration, options.longest_foreign_duration);
  return std::max(options.lease_duration, foreign);
}

}  // namespace

ElectionStep decide(const std::optional<ObservedLease>& lease, const ElectionOptions& options,
                    std::chrono::steady_clock::time_point now) {
  if (!lease) return ElectionStep::kCreate;
  if (lease->holder == options.identity) return ElectionStep::kRenew;
  if (lease->holder.empty()) return ElectionStep::kTake;
  return now - lease->since >= patience(*lease, options) ? ElectionStep::kTake
                                                         : ElectionStep::kWait;
}

LeaderElection::LeaderElection(Client& client, ElectionOptions options, const runtime::Clock& clock,
                               runtime::Logger& logger, std::function<void()> gained,
                               std::function<void()> lost)
    : client_(client),
      options_(std::move(options)),
      clock_(clock),
      logger_(logger),
      gained_(std::move(gained)),
      lost_(std::move(lost)),
      random_(static_cast<std::minstd_rand::result_type>(aio::random_seed())) {
  assert(options_.lease_duration > options_.renew_deadline);
  assert(options_.renew_deadline > options_.retry_period);
  assert(!options_.identity.empty());
}

bool LeaderElection::leads() const {
  return is_leader_ && clock_.since_boot() - renewed_ < options_.renew_deadline;
}

// Request deadline: a request that hangs must not delay the check of renew_deadline.
milliseconds LeaderElection::request_deadline() const {
  return options_.renew_deadline / 3;
}

aio::Task<> LeaderElection::run() {
  bool continues = true;
  try {
    while (continues) {
      const milliseconds delay = co_await step();
      continues = co_await aio::pause(delay);
    }
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::asio::error::operation_aborted) {
      if (is_leader_) stop_leading("a defect was caught");
      throw;
    }
  } catch (...) {
    // The Lease would no longer be renewed.
    if (is_leader_) stop_leading("a defect was caught");
    throw;
  }
  // Cancelled: without this no further co_await would work.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await release();
}

aio::Task<milliseconds> LeaderElection::step() {
  if (is_leader_ && !leads()) stop_leading("the lease could not be renewed in time");
  // A leader knows its Lease; a conflict reveals a change.
  bool knows = is_leader_ && is_current_ && observed_ && observed_->holder == options_.identity;
  if (!knows) knows = co_await read_lease(request_deadline());
  if (is_leader_ && knows && (!observed_ || observed_->holder != options_.identity)) {
    stop_leading("another holds the lease");
  }
  if (knows) {
    const ElectionStep next = decide(observed_, options_, clock_.monotonic());
    if (next == ElectionStep::kWait) {
      clear_error();
    } else {
      co_await write(next);
    }
  }
  if (is_leader_ && !leads()) stop_leading("the lease could not be renewed in time");

  if (!is_leader_) co_return next_check_in();
  const auto left =
      std::chrono::ceil<milliseconds>(renewed_ + options_.renew_deadline - clock_.since_boot());
  co_return std::min(options_.retry_period, left);
}

// Notices a change of the Lease at most one retry period late, and wakes up when the Lease expires.
// Otherwise both delays would add to the time without a leader.
milliseconds LeaderElection::next_check_in() {
  const milliseconds delay = aio::jittered(options_.retry_period, random_);
  if (!is_current_ || !observed_ || observed_->holder.empty()) return delay;
  const auto left = std::chrono::ceil<milliseconds>(
      observed_->since + patience(*observed_, options_) - clock_.monotonic());
  return std::max(std::min(left, delay), milliseconds(1));
}

aio::Task<bool> LeaderElection::read_lease(milliseconds deadline) {
  Client client = client_.with_deadline(deadline);
  const auto lease = co_await client.get(kLeases, options_.namespace_name, options_.name);
  is_current_ = lease || lease.error().is("NotFound");
  if (lease) {
    set_observed(*lease);
  } else if (is_current_) {
    observed_.reset();
  } else {
    failed(lease.error());
  }
  co_return is_current_;
}

aio::Task<> LeaderElection::write(ElectionStep step) {
  const std::chrono::nanoseconds begun = clock_.since_boot();
  std::string body = body_of(step, false);
  Client client = client_.with_deadline(request_deadline());
  Result<Object> written = Error();
  can_be_ours_ = true;
  if (step == ElectionStep::kCreate) {
    written = co_await client.create(kLeases, options_.namespace_name, std::move(body));
  } else {
    written =
        co_await client.update(kLeases, options_.namespace_name, options_.name, std::move(body));
  }
  if (!written) {
    // The write may have succeeded anyway, or another replica was faster: the next step reads
    // first.
    is_current_ = false;
    const Error& error = written.error();
    if (error.failure == FailureKind::kStatus && error.http_status < 500) can_be_ours_ = false;
    if (error.is("Conflict") || error.is("AlreadyExists") || error.is("NotFound")) co_return;
    failed(error);
    co_return;
  }
  set_observed(*written);
  renewed_ = begun;
  clear_error();
  if (is_leader_ || clock_.since_boot() - begun >= options_.renew_deadline) co_return;
  is_leader_ = true;
  logger_.log(runtime::Level::kInfo, "this replica leads",
              {{"lease", options_.name}, {"identity", options_.identity}});
  gained_();
}

aio::Task<> LeaderElection::release() {
  if (is_leader_) stop_leading("we are being stopped");
  if (!can_be_ours_ && !(observed_ && observed_->holder == options_.identity)) co_return;
  const auto end = std::chrono::steady_clock::now() + options_.release_deadline;
  // An interrupted write may have succeeded or not.
  if (!is_current_) co_await read_lease(std::min(request_deadline(), options_.release_deadline));
  if (!is_current_ || !observed_ || observed_->holder != options_.identity) co_return;
  const auto left = std::chrono::floor<milliseconds>(end - std::chrono::steady_clock::now());
  if (left <= milliseconds::zero()) co_return;
  Client client = client_.with_deadline(std::min(request_deadline(), left));
  const auto freed = co_await client.update(kLeases, options_.namespace_name, options_.name,
                                            body_of(ElectionStep::kRenew, true));
  is_current_ = false;
  if (!freed) failed(freed.error());
}

// An update replaces the Lease, including what other clients added.
void LeaderElection::write_metadata(json::Writer& writer, ForeignFields foreign) const {
  const bool keeps = observed_ && foreign == ForeignFields::kKeep;
  const json::Value found = keeps ? observed_->object.root()["metadata"] : json::Value();
  writer.key("metadata").start_object().member("name", options_.name);
  writer.member("namespace", options_.namespace_name);
  if (observed_) writer.member("resourceVersion", observed_->resource_version);
  write_foreign_fields(writer, found, kOwnMetadata);
  write_map(writer, "labels", options_.labels, found["labels"]);
  write_map(writer, "annotations", options_.annotations, found["annotations"]);
  writer.end_object();
}

std::string LeaderElection::body_of(ElectionStep step, bool is_release) const {
  const std::string now = text::format_micro_time(clock_.wall());
  const bool keeps_time =
      step == ElectionStep::kRenew && observed_ && !observed_->acquire_time.empty();
  const LeaseSpec spec{
      .holder = is_release ? std::string_view() : std::string_view(options_.identity),
      .duration = is_release ? std::chrono::seconds(1)
                             : std::chrono::ceil<std::chrono::seconds>(options_.lease_duration),
      .acquired = keeps_time ? observed_->acquire_time : now,
      .renewed = now,
      .transitions =
          (observed_ ? observed_->transitions : 0) + (step == ElectionStep::kTake ? 1 : 0)};
  return lease_body(
      observed_ ? observed_->object.root() : json::Value(), spec,
      [this](json::Writer& writer, ForeignFields foreign) { write_metadata(writer, foreign); });
}

void LeaderElection::set_observed(const Object& lease) {
  const json::Value spec = lease.root()["spec"];
  ObservedLease now;
  now.holder = spec["holderIdentity"].string_or_empty();
  now.duration = lease_duration(spec);
  now.acquire_time = spec["acquireTime"].string_or_empty();
  now.transitions = spec["leaseTransitions"].integer().value_or(0);
  now.resource_version = lease.resource_version();
  now.object = lease;
  can_be_ours_ = now.holder == options_.identity;
  const bool is_same = observed_ && observed_->resource_version == now.resource_version;
  now.since = is_same ? observed_->since : clock_.monotonic();
  observed_ = std::move(now);
  is_current_ = true;
}

void LeaderElection::failed(const Error& error) {
  if (error.failure == FailureKind::kCancelled) return;
  if (last_error_.empty()) {
    logger_.log(runtime::Level::kWarning, "the leader's lease cannot be read or written",
                {{"error", error.text}});
  }
  last_error_ = error.text;
}

void LeaderElection::clear_error() {
  if (last_error_.empty()) return;
  last_error_.clear();
  logger_.log(runtime::Level::kInfo, "the leader's lease can be read and written again",
              {{"lease", options_.name}});
}

void LeaderElection::stop_leading(std::string_view why) {
  is_leader_ = false;
  logger_.log(runtime::Level::kInfo, "this replica no longer leads",
              {{"lease", options_.name}, {"why", why}});
  lost_();
}

}  // namespace dynamo::kube

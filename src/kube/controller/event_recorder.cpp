#include "kube/controller/event_recorder.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "aio/pause.hpp"
#include "aio/time_limit.hpp"

namespace dynamo::kube {
namespace {

constexpr std::chrono::hours kNothingWaits{1};

// A retry may help.
bool is_passing(const Error& error) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  return error.failure != FailureKind::kStatus || error.http_status == kTooManyRequests ||
         error.http_status >= kServerErrors;
}

}  // namespace

EventRecorder::EventRecorder(const boost::asio::any_io_executor& executor, Client& client,
                             const runtime::Clock& clock, runtime::Logger& logger,
                             EventRecorderOptions options)
    : idle_(executor),
      client_(client),
      clock_(clock),
      logger_(logger),
      options_(std::move(options)),
      aggregator_(options_.series, options_.instance) {}

void EventRecorder::record(const Event& event) {
  if (aggregator_.note(event, clock_.monotonic(), clock_.wall())) idle_.wake_one();
}

void EventRecorder::start(aio::TaskGroup& tasks) {
  for (std::size_t i = 0; i < options_.most_at_once; ++i) {
    tasks.spawn("events", [this] { return run(); });
  }
}

aio::Task<> EventRecorder::run() {
  for (;;) {
    const auto call = aggregator_.next(clock_.monotonic());
    if (!call) {
      const bool continues = co_await wait();
      if (!continues) co_return;
      continue;
    }
    // Sleeping senders may not know of it, so each sender wakes the next.
    if (aggregator_.waiting() > 0) idle_.wake_one();
    const bool continues = co_await deliver(*call);
    if (!continues) co_return;
  }
}

aio::Task<bool> EventRecorder::deliver(const EventAggregator::Call& call) {
  const Outcome outcome = co_await send_patiently(call);
  if (outcome == Outcome::kCancelled) {
    aggregator_.abandon(call);
    co_return false;
  }
  settle(call, outcome);
  co_return true;
}

void EventRecorder::hurry() {
  aggregator_.hurry();
  idle_.wake_all();
}

aio::Task<> EventRecorder::flush(std::chrono::milliseconds at_most) {
  hurry();
  co_await aio::within(at_most, send_pending());
}

aio::Task<> EventRecorder::send_pending() {
  constexpr std::chrono::milliseconds kPollInterval{10};
  while (pending() > 0 && can_send()) {
    const auto call = aggregator_.next(clock_.monotonic());
    bool continues = true;
    if (call) {
      continues = co_await deliver(*call);
    } else {
      continues = co_await aio::pause(kPollInterval);
    }
    if (!continues) co_return;
  }
}

void EventRecorder::settle(const EventAggregator::Call& call, Outcome outcome) {
  if (outcome == Outcome::kLost) {
    aggregator_.recreate(call);
    return;
  }
  if (outcome == Outcome::kWritten) {
    ++written_;
    is_failing_ = false;
  }
  aggregator_.finished(call, outcome == Outcome::kWritten || outcome == Outcome::kUnchanged);
}

aio::Task<EventRecorder::Outcome> EventRecorder::send_patiently(const EventAggregator::Call& call) {
  aio::Backoff pauses(options_.first_pause, options_.longest_pause);
  for (unsigned tries = 1;; ++tries) {
    const bool continues = co_await until_it_may_send();
    if (!continues) co_return Outcome::kCancelled;
    const Outcome outcome = co_await send(call);
    if (outcome != Outcome::kUnreachable || tries >= options_.most_tries) co_return outcome;
    const bool waited = co_await aio::pause(pauses.next());
    if (!waited) co_return Outcome::kCancelled;
  }
}

aio::Task<bool> EventRecorder::until_it_may_send() {
  while (!can_send()) {
    const bool waited = co_await aio::pause(options_.poll_interval);
    if (!waited) co_return false;
  }
  co_return true;
}

aio::Task<EventRecorder::Outcome> EventRecorder::send(const EventAggregator::Call& call) {
  Client client = client_.with_deadline(options_.deadline);
  WriteOptions options;
  options.field_manager = options_.controller;
  options.metadata_only = true;
  const std::string space = event_namespace(call.series.event.regarding);
  Result<Object> written = Error{};
  if (call.is_new) {
    std::string body = event_body(call.series, options_.controller, options_.instance);
    written = co_await client.create(kEvents, space, std::move(body), options);
  } else {
    std::string body = event_patch(call.series);
    written = co_await client.patch(kEvents, space, call.series.name, PatchType::kMerge,
                                    std::move(body), options);
  }
  // The name is unique, so the Event was written and the answer was lost.
  if (written || written.error().is("AlreadyExists")) co_return Outcome::kWritten;
  const Error& error = written.error();
  if (error.failure == FailureKind::kCancelled) co_return Outcome::kCancelled;
  // Events live for an hour.
  if (!call.is_new && error.is("NotFound")) co_return Outcome::kLost;
  log_failure(error);
  // Without the right to patch, the first Event stays unchanged.
  if (!call.is_new && error.is("Forbidden")) co_return Outcome::kUnchanged;
  co_return is_passing(error) ? Outcome::kUnreachable : Outcome::kRefused;
}

void EventRecorder::log_failure(const Error& error) {
  const bool is_first = !std::exchange(is_failing_, true);
  logger_.log(is_first ? runtime::Level::kInfo : runtime::Level::kDebug, "event not written",
              {{"reason", error.text}});
}

aio::Task<bool> EventRecorder::wait() {
  const std::chrono::milliseconds longest =
      aggregator_.waiting() == 0 ? std::chrono::milliseconds(kNothingWaits) : options_.tick;
  static_cast<void>(co_await idle_.wait(std::chrono::steady_clock::now() + longest));
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  co_return state.cancelled() == boost::asio::cancellation_type::none;
}

}  // namespace dynamo::kube

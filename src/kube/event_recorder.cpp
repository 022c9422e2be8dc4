#include "kube/event_recorder.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "aio/pause.hpp"

namespace dynamo::kube {
namespace {

constexpr std::chrono::hours kNothingWaits{1};

// Another try may help.
bool is_passing(const Error& error) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  return error.failure != Failure::kStatus || error.http_status == kTooManyRequests ||
         error.http_status >= kServerErrors;
}

}  // namespace

EventRecorder::EventRecorder(const boost::asio::any_io_executor& executor, Client& client,
                             const runtime::Clock& clock, runtime::Logger& logger,
                             EventRecorderOptions options)
    : notice_(executor),
      client_(client),
      clock_(clock),
      logger_(logger),
      options_(std::move(options)),
      book_(options_.series, options_.instance) {}

void EventRecorder::record(const Event& event) {
  if (!book_.note(event, clock_.monotonic(), clock_.wall())) return;
  is_noticed_ = true;
  notice_.cancel();
}

aio::Task<> EventRecorder::run() {
  for (;;) {
    const auto call = book_.next(clock_.monotonic());
    if (!call) {
      const bool goes_on = co_await wait();
      if (!goes_on) co_return;
      continue;
    }
    const Outcome outcome = co_await send_patiently(*call);
    if (outcome == Outcome::kCancelled) {
      book_.undone();
      co_return;
    }
    settle(outcome);
  }
}

aio::Task<> EventRecorder::flush(std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  book_.hurry();
  for (;;) {
    const auto call = book_.next(clock_.monotonic());
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (!call || left <= std::chrono::milliseconds::zero() || !may_send()) co_return;
    const Outcome outcome = co_await send(*call, left);
    if (outcome == Outcome::kCancelled) co_return;
    // Nothing begins anew at the end.
    settle(outcome == Outcome::kLost ? Outcome::kRefused : outcome);
  }
}

void EventRecorder::settle(Outcome outcome) {
  if (outcome == Outcome::kLost) {
    book_.lost();
    return;
  }
  if (outcome == Outcome::kWritten) {
    ++written_;
    is_failing_ = false;
  }
  book_.told(outcome == Outcome::kWritten || outcome == Outcome::kStands);
}

aio::Task<EventRecorder::Outcome> EventRecorder::send_patiently(const EventBook::Call& call) {
  aio::Backoff pauses(options_.first_pause, options_.longest_pause);
  for (unsigned tries = 1;; ++tries) {
    const bool goes_on = co_await until_it_may_send();
    if (!goes_on) co_return Outcome::kCancelled;
    const Outcome outcome = co_await send(call, options_.deadline);
    if (outcome != Outcome::kUnreachable || tries >= options_.most_tries) co_return outcome;
    const bool waited = co_await aio::pause(pauses.next());
    if (!waited) co_return Outcome::kCancelled;
  }
}

aio::Task<bool> EventRecorder::until_it_may_send() {
  while (!may_send()) {
    const bool waited = co_await aio::pause(options_.asked_again);
    if (!waited) co_return false;
  }
  co_return true;
}

aio::Task<EventRecorder::Outcome> EventRecorder::send(const EventBook::Call& call,
                                                      std::chrono::milliseconds deadline) {
  Client client = client_.with_deadline(deadline);
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
  // Its name is this one's alone: it was written, and the answer was lost.
  if (written || written.error().is("AlreadyExists")) co_return Outcome::kWritten;
  const Error& error = written.error();
  if (error.failure == Failure::kCancelled) co_return Outcome::kCancelled;
  // Events live for an hour.
  if (!call.is_new && error.is("NotFound")) co_return Outcome::kLost;
  log_failure(error);
  // Who may create only leaves the first one as it is.
  if (!call.is_new && error.is("Forbidden")) co_return Outcome::kStands;
  co_return is_passing(error) ? Outcome::kUnreachable : Outcome::kRefused;
}

void EventRecorder::log_failure(const Error& error) {
  const bool is_first = !std::exchange(is_failing_, true);
  logger_.log(is_first ? runtime::Level::kInfo : runtime::Level::kDebug, "event not written",
              {{"reason", error.text}});
}

aio::Task<bool> EventRecorder::wait() {
  if (!std::exchange(is_noticed_, false)) {
    const std::chrono::milliseconds longest =
        book_.waiting() == 0 ? std::chrono::milliseconds(kNothingWaits) : options_.tick;
    notice_.expires_after(longest);
    boost::system::error_code ignored;
    co_await notice_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    is_noticed_ = false;
  }
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  co_return state.cancelled() == boost::asio::cancellation_type::none;
}

}  // namespace dynamo::kube

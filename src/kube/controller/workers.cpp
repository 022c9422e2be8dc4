#include "kube/controller/workers.hpp"

#include <algorithm>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "aio/time_limit.hpp"

namespace dynamo::kube {
namespace {

// Wait of an idle worker; an add wakes it earlier.
constexpr std::chrono::seconds kLongestWait{60};

}  // namespace

Workers::Workers(boost::asio::any_io_executor executor, WorkQueue& queue, Reconcile reconcile,
                 std::function<std::vector<ObjectKey>()> all_keys, const runtime::Clock& clock,
                 runtime::Logger& logger, WorkersOptions options)
    : queue_(queue),
      reconcile_(std::move(reconcile)),
      all_keys_(std::move(all_keys)),
      clock_(clock),
      logger_(logger),
      options_(std::move(options)),
      idle_(std::move(executor)) {}

void Workers::add(const ObjectKey& key, Priority priority) {
  if (queue_.add(key, priority, clock_.monotonic()) == WorkQueue::AddResult::kFull) return;
  idle_.wake_one();
}

void Workers::start(aio::TaskGroup& tasks) {
  for (std::size_t i = 0; i < options_.workers; ++i) {
    tasks.spawn("worker of " + options_.name, [this] { return work(); });
  }
}

void Workers::stop() {
  queue_.stop();
  idle_.wake_all();
}

aio::Task<> Workers::work() {
  while (!queue_.is_stopped()) {
    resync();
    const auto taken = queue_.take(clock_.monotonic());
    bool goes_on = true;
    if (taken) {
      co_await run_reconcile(taken->key);
      // Reconciles that find nothing to do must not block the loop in a row. Yielding costs one
      // poll of all sockets.
      constexpr unsigned kMaxInARow = 8;
      if (++in_a_row_ >= kMaxInARow) {
        in_a_row_ = 0;
        co_await boost::asio::post(boost::asio::use_awaitable);
      }
      const auto state = co_await boost::asio::this_coro::cancellation_state;
      goes_on = state.cancelled() == boost::asio::cancellation_type::none;
    } else {
      goes_on = co_await wait();
    }
    if (!goes_on) break;
  }
}

// Leaves some room for changes.
void Workers::resync() {
  if (queue_.is_resync_due()) {
    resyncs_again_ = is_resyncing_;
    if (!is_resyncing_) resynced_ = ObjectKey();
    is_resyncing_ = true;
  }
  if (!is_resyncing_ || queue_.size() > queue_.max_keys() / 2) return;
  const std::vector<ObjectKey> all = all_keys_();
  auto next = std::upper_bound(all.begin(), all.end(), resynced_);
  for (; next != all.end() && queue_.size() < queue_.max_keys() - queue_.max_keys() / 4; ++next) {
    queue_.add(*next, Priority::kResync, clock_.monotonic());
    resynced_ = *next;
    idle_.wake_one();
  }
  if (next != all.end()) return;
  is_resyncing_ = std::exchange(resyncs_again_, false);
  resynced_ = ObjectKey();
}

aio::Task<> Workers::run_reconcile(ObjectKey key) {
  ++reconciles_;
  ReconcileResult result = ReconcileResult::done();
  std::exception_ptr defect;
  bool was_in_time = true;
  try {
    if (options_.reconcile_timeout == options_.reconcile_timeout.zero()) {
      result = co_await reconcile_(key);
    } else {
      was_in_time = co_await aio::within(options_.reconcile_timeout, reconcile_into(result, key));
    }
  } catch (...) {
    defect = std::current_exception();
  }
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  if (state.cancelled() != boost::asio::cancellation_type::none) {
    queue_.abandon(key, clock_.monotonic());
    co_return;
  }
  if (defect) {
    ++defects_;
    std::string what = "not a std::exception";
    try {
      std::rethrow_exception(std::move(defect));
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
    }
    logger_.log(runtime::Level::kError, "a defect was caught in a reconcile",
                {{"controller", options_.name}, {"key", to_string(key)}, {"what", what}});
    result = ReconcileResult::retry(std::move(what));
  }
  if (!was_in_time) {
    ++timeouts_;
    logger_.log(runtime::Level::kWarning, "a reconcile took too long and was cancelled",
                {{"controller", options_.name},
                 {"key", to_string(key)},
                 {"limit_ms", options_.reconcile_timeout.count()}});
    result = ReconcileResult::retry("it took too long");
  }
  end(key, result);
}

aio::Task<> Workers::reconcile_into(ReconcileResult& result, ObjectKey key) {
  result = co_await reconcile_(std::move(key));
}

void Workers::end(const ObjectKey& key, const ReconcileResult& result) {
  const WorkQueue::Time now = clock_.monotonic();
  switch (result.kind) {
    case ReconcileResult::Kind::kDone:
      queue_.done(key, now);
      break;
    case ReconcileResult::Kind::kRequeue:
      queue_.wait(key, now, now + result.pause, result.is_timer_only);
      break;
    case ReconcileResult::Kind::kRetry:
      ++failures_;
      logger_.log(runtime::Level::kDebug, "a reconcile is retried",
                  {{"controller", options_.name}, {"key", to_string(key)}, {"what", result.error}});
      queue_.retry(key, now, result.pause);
      break;
  }
  // The key's next time may be earlier than the one other workers wait for.
  idle_.wake_one();
}

aio::Task<bool> Workers::wait() {
  const auto next = queue_.next_at();
  const WorkQueue::Time now = clock_.monotonic();
  auto length = std::chrono::duration_cast<std::chrono::nanoseconds>(kLongestWait);
  if (next) {
    length = *next <= now ? std::chrono::nanoseconds(0)
                          : std::min<std::chrono::nanoseconds>(length, *next - now);
  }
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(length);
  static_cast<void>(co_await idle_.wait(deadline));
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  co_return state.cancelled() == boost::asio::cancellation_type::none;
}

}  // namespace dynamo::kube

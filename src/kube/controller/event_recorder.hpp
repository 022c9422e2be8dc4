// Emits Events that report to users what happened to an object.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "aio/backoff.hpp"
#include "aio/task.hpp"
#include "aio/task_group.hpp"
#include "aio/wait_list.hpp"
#include "kube/client/client.hpp"
#include "kube/controller/event_series.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct EventRecorderOptions {
  EventRecorderOptions() = default;
  std::string controller = {};  // reportingController: the program
  std::string instance = {};    // reportingInstance: the process; its first 128 bytes
  EventSeriesOptions series = {};
  std::size_t most_at_once = 8;                // calls
  std::chrono::milliseconds deadline{10'000};  // of one call
  // Attempts of one call while the server is unreachable or overloaded; then the Event is dropped.
  unsigned most_tries = 12;
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{30'000};
  // How often waiting Events are checked for being due, in real time.
  std::chrono::milliseconds tick{5'000};
  // Called right before each call. While it returns false, Events keep waiting. Empty: always true.
  std::function<bool()> can_send = {};
  std::chrono::milliseconds poll_interval{500};  // of can_send, in real time
};

// Writes to events.k8s.io, which requires the rights to create and to patch; without patch only the
// first of equal Events is written, without a count. Best effort: use status and metrics where
// certainty is needed. It never delays or fails a reconcile: recorded Events wait in a bounded
// queue for a few coroutines of the recorder. Equal Events are counted, Events of one object are
// rate-limited, and dropped Events are counted. Used on the loop's thread.
class EventRecorder {
 public:
  // Everything given outlives it.
  EventRecorder(const boost::asio::any_io_executor& executor, Client& client,
                const runtime::Clock& clock, runtime::Logger& logger, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(const Event& event);

  // Sends until the group is stopped. Call it once.
  void start(aio::TaskGroup& tasks);
  // At shutdown: waiting Events are no longer held back until their time.
  void hurry();
  // Calls hurry() and helps to send, or sends everything if the group has been stopped. Ends when
  // all Events are sent, after `at_most` of real time, or when can_send forbids it.
  aio::Task<> flush(std::chrono::milliseconds at_most);

  // Including Events that are being sent.
  std::size_t pending() const { return aggregator_.waiting() + aggregator_.under_way(); }
  std::size_t waiting() const { return aggregator_.waiting(); }
  std::uint64_t written() const { return written_; }
  std::uint64_t dropped() const { return aggregator_.dropped(); }

 private:
  enum class Outcome : std::uint8_t {
    kWritten,
    kUnchanged,
    kLost,
    kRefused,
    kUnreachable,
    kCancelled
  };

  aio::Task<> run();
  aio::Task<> send_pending();
  // Sends the call and records the result. False if cancelled.
  aio::Task<bool> deliver(const EventAggregator::Call& call);
  aio::Task<Outcome> send(const EventAggregator::Call& call);
  aio::Task<Outcome> send_patiently(const EventAggregator::Call& call);
  void settle(const EventAggregator::Call& call, Outcome outcome);
  void log_failure(const Error& error);
  bool can_send() const { return !options_.can_send || options_.can_send(); }
  // False if cancelled.
  aio::Task<bool> until_it_may_send();
  // Waits for a new Event or the next tick. False if cancelled.
  aio::Task<bool> wait();

  aio::WaitList idle_;
  Client& client_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const EventRecorderOptions options_;
  EventAggregator aggregator_;
  std::uint64_t written_ = 0;
  bool is_failing_ = false;
};

}  // namespace dynamo::kube

// Tells the cluster's users what happened, as Events beside the objects that it happened to.
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
#include "kube/client.hpp"
#include "kube/event_series.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct EventRecorderOptions {
  EventRecorderOptions() = default;
  std::string controller = {};  // who reports: the program
  std::string instance = {};    // which process of it; its first 128 bytes
  EventSeriesOptions series = {};
  std::size_t most_at_once = 8;                // calls
  std::chrono::milliseconds deadline{10'000};  // of one call
  // Of one call that finds no server, or one that is overloaded; then the Event is dropped.
  unsigned most_tries = 12;
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{30'000};
  // How often it looks whether something is due, in real time, while something waits.
  std::chrono::milliseconds tick{5'000};
  // Asked right before each call; while it says no, what waits goes on waiting. Empty: always.
  std::function<bool()> may_send = {};
  std::chrono::milliseconds asked_again{500};  // real time between two looks at that
};

// Writes to events.k8s.io, where it takes the rights to create and to patch; who may create only
// leaves the first of equal ones without a count. Best effort: who wants certainty reads status and
// metrics. It never delays or fails a pass: what is recorded waits in a bounded queue for a few
// coroutines of the recorder's own; equal Events are counted, those of one object rationed, and
// what is dropped is counted. On the loop's thread.
class EventRecorder {
 public:
  // Everything given outlives it.
  EventRecorder(const boost::asio::any_io_executor& executor, Client& client,
                const runtime::Clock& clock, runtime::Logger& logger, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(const Event& event);

  // Sends until the group is stopped; once.
  void start(aio::TaskGroup& tasks);
  // Before the end: from now on nothing that waits is held back for its time.
  void hurry();
  // hurry(), and takes part in the sending, or does all of it where the group has been stopped,
  // until all is told, at most for so long in real time, and as long as it may.
  aio::Task<> flush(std::chrono::milliseconds at_most);

  // With what is being sent.
  std::size_t untold() const { return book_.waiting() + book_.under_way(); }
  std::size_t waiting() const { return book_.waiting(); }
  std::uint64_t written() const { return written_; }
  std::uint64_t dropped() const { return book_.dropped(); }

 private:
  enum class Outcome : std::uint8_t {
    kWritten,
    kStands,
    kLost,
    kRefused,
    kUnreachable,
    kCancelled
  };

  aio::Task<> run();
  aio::Task<> tell_rest();
  // Sends it and notes what became of it. False when cancelled.
  aio::Task<bool> tell(const EventBook::Call& call);
  aio::Task<Outcome> send(const EventBook::Call& call);
  aio::Task<Outcome> send_patiently(const EventBook::Call& call);
  void settle(const EventBook::Call& call, Outcome outcome);
  void log_failure(const Error& error);
  bool may_send() const { return !options_.may_send || options_.may_send(); }
  // False when cancelled.
  aio::Task<bool> until_it_may_send();
  // Until something is recorded or a tick is over. False when cancelled.
  aio::Task<bool> wait();

  aio::WaitList idle_;
  Client& client_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const EventRecorderOptions options_;
  EventBook book_;
  std::uint64_t written_ = 0;
  bool is_failing_ = false;
};

}  // namespace dynamo::kube

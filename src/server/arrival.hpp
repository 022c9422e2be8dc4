// When a request arrived, which may be before a busy event loop read it: the client's ?timeout= has
// been running since then (ADR 15).
#pragma once

#include <chrono>
#include <optional>

namespace dynamo::server {

// How long ago the newest data arrived on the TCP connection `socket` according to the kernel, to a
// few milliseconds. nullopt if the kernel does not report it. One system call.
std::optional<std::chrono::milliseconds> time_since_received(int socket);

// time_since_received(), or a test's replacement.
using TimeSinceReceived = std::optional<std::chrono::milliseconds> (*)(int socket);

// One per event loop, used only by its thread. Asks the kernel only if bytes may have waited: after
// the loop spent some time away from its sockets, while waits are being found, and occasionally as
// a sample. It stops asking after several requests in a row without a wait. So a loop that answers
// short requests has almost no extra cost.
class ArrivalClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Shorter waits count as zero.
  static constexpr std::chrono::milliseconds kLeast{10};
  // Sockets are served roughly in the order of their input: after this many requests in a row
  // without a wait, later ones have not waited either.
  static constexpr int kFreshRow = 8;

  explicit ArrivalClock(TimeSinceReceived ask) : ask_(ask) {}

  // Arrival time of the first bytes of a request that was read from `socket` at `now`: `now` or
  // earlier. If several pieces arrived before the read, this is the time of the last one.
  TimePoint arrived(int socket, TimePoint now);

 private:
  bool is_worth_asking(TimePoint now);

  TimeSinceReceived ask_;
  TimePoint last_{};       // the previous request
  TimePoint ask_until_{};  // ask for each request until then
  TimePoint next_sample_{};
  int fresh_ = 0;  // consecutive answers without a wait
};

}  // namespace dynamo::server

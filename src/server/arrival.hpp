// When a request came, as opposed to when a busy event loop got round to reading it: the client's
// ?timeout= has been running since (docs/adr/0015).
#pragma once

#include <chrono>
#include <optional>

namespace dynamo::server {

// How long ago the newest data came in on the TCP connection `socket`, as the kernel knows it, to a
// few milliseconds. Nothing when it does not tell. One system call.
std::optional<std::chrono::milliseconds> time_since_received(int socket);

// time_since_received(), or what a test puts in its place.
using TimeSinceReceived = std::optional<std::chrono::milliseconds> (*)(int socket);

// One per event loop, used by its thread only. Asks the kernel only when bytes may have waited:
// after the loop was away from its sockets for a moment, while such waits are being found, and now
// and then; a row of requests that did not wait ends it. A loop that answers one short request
// after the other pays next to nothing.
class ArrivalClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Waits below this are not told from none.
  static constexpr std::chrono::milliseconds kLeast{10};
  // Sockets are served about in the order in which they had input: behind so many in a row that did
  // not wait there is nobody who did.
  static constexpr int kFreshRow = 8;

  explicit ArrivalClock(TimeSinceReceived ask) : ask_(ask) {}

  // When the first bytes of a request that were read from `socket` at `now` had come: `now`, or
  // earlier. Of bytes that came in several pieces while nobody looked it is the last piece's time.
  TimePoint arrived(int socket, TimePoint now);

 private:
  bool is_worth_asking(TimePoint now);

  TimeSinceReceived ask_;
  TimePoint last_{};       // the request before
  TimePoint ask_until_{};  // each request up to then
  TimePoint next_sample_{};
  int fresh_ = 0;  // answers in a row that told of no wait
};

}  // namespace dynamo::server

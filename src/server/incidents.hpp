// Problems of connections: always counted, and logged at most once per minute and class, so that no
// client can flood the log. At debug level each one is logged.
#pragma once

#include <string_view>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "server/counters.hpp"

namespace dynamo::server {

// Shared by all event loops; any thread may call every function. `socket` is used only to get the
// peer's address, and only if the line is written.
class Incidents {
 public:
  // All three must outlive it.
  Incidents(ServerCounters& counters, runtime::Logger& logger, const runtime::Clock& clock);

  // `nothing_sent`: the peer connected and left without sending a byte, as TCP probes do every few
  // seconds.
  void handshake_failed(HandshakeFailure failure, std::string_view reason, bool nothing_sent,
                        int socket);
  void timed_out(TimeoutPhase phase, int socket);
  void rejected(Limit limit, int socket);
  // An allocation failed; logged as far as memory allows.
  void out_of_memory(int socket) noexcept;
  // The connection, or its body, was evicted.
  void evicted(Eviction reason, int socket);
  void distrusted(DistrustReason reason, int socket);
  void bad_request(unsigned status, std::string_view text, int socket);

  // A handler threw, or the endpoint itself. `what` is the text of the exception.
  void defect(std::string_view path, std::string_view what) noexcept;

  ServerCounters& counters() { return counters_; }

 private:
  ServerCounters& counters_;
  runtime::Logger& logger_;
  runtime::LogThrottle handshakes_;
  runtime::LogThrottle timeouts_;
  runtime::LogThrottle limits_;
  runtime::LogThrottle evictions_;
  runtime::LogThrottle distrusted_;
  runtime::LogThrottle defects_;
};

}  // namespace dynamo::server

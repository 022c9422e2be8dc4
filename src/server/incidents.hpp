// What goes wrong on connections: counted always, said in the log at most once a minute per class,
// so that no client can flood it. Each single one is said at debug level.
#pragma once

#include <string_view>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "server/counters.hpp"

namespace dynamo::server {

// Shared by all event loops; every function may be called from any thread. `socket` is only asked
// for the peer's address, and only if the line is written.
class Incidents {
 public:
  // All three must outlive it.
  Incidents(ServerCounters& counters, runtime::Logger& logger, const runtime::Clock& clock);

  // `nothing_sent`: the peer connected and left without a byte, as TCP probes do every few seconds.
  void handshake_failed(HandshakeFailure failure, std::string_view reason, bool nothing_sent,
                        int socket);
  void timed_out(TimeoutPhase phase, int socket);
  void rejected(Limit limit, int socket);
  // The connection had to give way, to another one or to another body.
  void evicted(Eviction reason, int socket);
  void distrusted(Distrust reason, int socket);
  void bad_request(unsigned status, std::string_view text, int socket);

  // A handler threw, or the endpoint itself did. `what` is the text of the exception.
  void defect(std::string_view path, std::string_view what);

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

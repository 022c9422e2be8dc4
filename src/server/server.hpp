// The HTTPS endpoint: accepts, distributes connections over event loops, and stops without losing a
// request.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "aio/control_loop.hpp"
#include "runtime/clock.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"
#include "server/arrival.hpp"
#include "server/counters.hpp"
#include "server/handler.hpp"
#include "server/limits.hpp"
#include "server/watchdog.hpp"

namespace dynamo::server {

struct ServerOptions {
  runtime::Address address;
  std::size_t threads;  // event loops, at least 1
  ServerLimits limits;
  std::chrono::milliseconds shutdown_delay;        // how long serving continues after begin_drain()
  std::chrono::milliseconds drain_timeout;         // how long running requests may take after that
  std::chrono::milliseconds watch_interval{1000};  // interval of the event loop checks
};

// Called once per new connection and watch interval, on the control loop. Null if there is no
// certificate: the connection is closed and counted.
using TlsContextSource = std::function<std::shared_ptr<SSL_CTX>()>;

// References must outlive the server.
struct ServerDependencies {
  aio::ControlLoop& control;
  TlsContextSource tls_context;
  HandlerFactory handlers;
  runtime::Logger& logger;
  const runtime::Clock& clock;
  ServerCounters& counters;
  TimeSinceReceived time_since_received = &server::time_since_received;
};

class Server {
 public:
  Server(ServerOptions options, ServerDependencies dependencies);

  // Stops without delay if stop() was not called.
  ~Server();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds, starts the loops and accepts. The control loop may be started before or after. An error
  // is one line for the user; the server can then be destroyed.
  runtime::Result<void> start();

  // The listening port; after start().
  std::uint16_t port() const;

  // Becomes unready, and every answer has Connection: close. Any thread; returns immediately.
  void begin_drain();

  // The complete shutdown: begin_drain(), serves for the shutdown delay, accepts the remaining
  // backlog, closes the listener, closes idle connections, lets requests finish for the drain
  // timeout, cuts the rest, ends the loops. Requires a running control loop; must not be called on
  // its thread. Returns false if an event loop is stuck and was abandoned after a second; the
  // destructor then waits for it without a limit.
  bool stop();

  // Ends the shutdown delay of a current or later stop(). Any thread.
  void skip_shutdown_delay();

  // Why it must not receive new traffic, or nullopt: for readiness. Any thread.
  std::optional<std::string> unready_reason() const;

  // Watches the event loops from start() on; it may outlive the server. For liveness.
  std::shared_ptr<const Watchdog> watchdog() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dynamo::server

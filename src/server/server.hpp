// The HTTPS endpoint: accepts, spreads connections over event loops, and stops without losing a
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
  Limits limits;
  std::chrono::milliseconds shutdown_delay;        // serving goes on so long after begin_drain()
  std::chrono::milliseconds drain_timeout;         // then running requests may take so long
  std::chrono::milliseconds watch_interval{1000};  // how often the event loops are looked after
};

// Asked once per new connection and each watch interval, on the control loop. Null while there is
// no certificate: the connection is closed and counted.
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

  // Stops without delay when stop() was not called.
  ~Server();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds, starts the loops and accepts. The control loop may be started before or after. An error
  // is one line for the user, and the server may be destroyed.
  runtime::Result<void> start();

  // Where it listens; after start().
  std::uint16_t port() const;

  // Unready from now on, and every answer says Connection: close. Any thread; returns at once.
  void begin_drain();

  // The whole way down: begin_drain(), serves for the shutdown delay, takes what still waits to be
  // accepted, closes the listener, closes idle connections, lets requests finish for the drain
  // timeout, cuts the rest, ends the loops. Needs the control loop running; not on its thread.
  // False: an event loop is stuck, and was left behind after a second; the destructor will wait for
  // it, for ever if need be.
  bool stop();

  // Ends the shutdown delay of a stop() in progress, or of one to come. Any thread.
  void skip_shutdown_delay();

  // Why it should get no new traffic, or nothing: for readiness. Any thread.
  std::optional<std::string> unready_reason() const;

  // Of the event loops, from start() on; it may outlive the server. For liveness.
  std::shared_ptr<const Watchdog> watchdog() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dynamo::server

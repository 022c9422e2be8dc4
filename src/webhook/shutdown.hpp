// Ends the process: signals, and a hard-exit watchdog for a stuck shutdown. Has its own thread,
// which nothing else can block.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "aio/control_loop.hpp"
#include "aio/handler_memory.hpp"
#include "process/last_resort.hpp"
#include "process/shutdown_signals.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "server/server.hpp"
#include "server/watchdog.hpp"

namespace dynamo::webhook {

class Shutdown {
 public:
  // References must outlive this, except the server's, see forget_server().
  struct Dependencies {
    aio::ControlLoop& control;
    server::Server& server;
    server::LoopCounters& counters;
    runtime::Logger& logger;
    const runtime::Clock& clock;
    std::function<void(int)> end_process;  // see LastResort
  };
  struct Times {
    std::chrono::milliseconds delay;
    std::chrono::milliseconds drain;
    std::chrono::milliseconds grace;
  };

  // Catches SIGTERM and SIGINT from now on, process-wide.
  Shutdown(Dependencies dependencies, Times times);
  ~Shutdown();
  Shutdown(const Shutdown&) = delete;
  Shutdown& operator=(const Shutdown&) = delete;

  // Starts the thread, once. Throws std::system_error if no thread can be created.
  void start();

  // Blocks until the first signal, or end_wait(). A second signal ends the shutdown delay, or the
  // process if a loop is stuck. A third signal ends the process.
  void wait() { signals_.wait(); }
  void end_wait() { signals_.end(); }

  // Starts the shutdown: the process ends at the latest after delay, drain and grace together.
  void begin() { last_resort_.arm(times_.delay + times_.drain + times_.grace); }

  // Ends the process immediately, see LastResort.
  void end_process(std::string_view why) { last_resort_.end(why); }

  // Waits until this no longer uses the server. After that the server may be destroyed.
  void forget_server();

 private:
  void on_signal(int number);
  void watch_control();
  std::string stuck() const { return late_loops(std::chrono::nanoseconds(0)); }
  std::string late_loops(std::chrono::nanoseconds least) const;

  const Times times_;
  server::Server* server_;  // null: forgotten; used by the thread only
  const std::shared_ptr<const server::Watchdog> event_loops_;
  server::Watchdog control_watch_;
  aio::ControlLoop thread_;
  const std::shared_ptr<aio::HandlerMemory> watch_memory_ = std::make_shared<aio::HandlerMemory>();
  boost::asio::steady_timer watch_timer_;
  process::ShutdownSignals signals_;
  process::LastResort last_resort_;
};

}  // namespace dynamo::webhook

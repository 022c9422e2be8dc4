// When and how the process ends: signals, and a last resort when what they ask for does not happen.
// On a thread of its own, which nothing else can keep busy.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "aio/control_loop.hpp"
#include "process/last_resort.hpp"
#include "process/shutdown_signals.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "server/server.hpp"
#include "server/watchdog.hpp"

namespace dynamo::webhook {

class Shutdown {
 public:
  // References must outlive this, but the server's, see forget_server().
  struct Surroundings {
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
  Shutdown(Surroundings surroundings, Times times);
  ~Shutdown();
  Shutdown(const Shutdown&) = delete;
  Shutdown& operator=(const Shutdown&) = delete;

  // Starts the thread, once. Throws std::system_error when there is none to be had.
  void start();

  // Blocks until the first signal, or end_wait(). A second signal ends the shutdown delay, and the
  // process when a loop does not turn; a third ends the process.
  void wait() { signals_.wait(); }
  void end_wait() { signals_.end(); }

  // The shutdown begins: the process ends after its times and the grace, whatever happens.
  void begin() { last_resort_.arm(times_.delay + times_.drain + times_.grace); }

  // Ends the process at once, see LastResort.
  void end_process(std::string_view why) { last_resort_.end(why); }

  // Waits until nothing in here looks at the server any more, which may go then.
  void forget_server();

 private:
  void on_signal(int number);
  void watch_control();
  std::string stuck() const { return late_loops(std::chrono::nanoseconds(0)); }
  std::string late_loops(std::chrono::nanoseconds least) const;

  const Times times_;
  server::Server* server_;  // null: forgotten; of the thread
  const std::shared_ptr<const server::Watchdog> event_loops_;
  server::Watchdog control_watch_;
  aio::ControlLoop thread_;
  boost::asio::steady_timer watch_timer_;
  process::ShutdownSignals signals_;
  process::LastResort last_resort_;
};

}  // namespace dynamo::webhook

// Hard exit for a process whose clean shutdown is stuck.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "aio/control_loop.hpp"
#include "runtime/log.hpp"

namespace dynamo::process {

class LastResort {
 public:
  // Exit code of a process that was ended this way.
  static constexpr int kExitCode = 3;

  // How long a shutdown may exceed its last deadline. A clean one needs at most this beyond the
  // deadline: releasing the marker lease and withdrawing reports, 5 s each, and flushing the log, 1
  // s.
  static constexpr std::chrono::seconds kGrace{15};

  struct Dependencies {
    aio::ControlLoop& thread;  // runs nothing else, so that nothing can block it
    runtime::Logger& logger;
    // Names the stuck parts for the log. Called on any thread, even while these parts are stuck.
    std::function<std::string()> what_is_stuck;
    // Receives the exit code. Does not return, except in tests. Empty: only logs.
    std::function<void(int)> end_process;
  };

  explicit LastResort(Dependencies dependencies);

  // Ends the process after `limit`; the earliest of several limits applies. To disarm it, destroy
  // it after its thread has stopped. Any thread.
  void arm(std::chrono::milliseconds limit);

  // Ends the process now. Any thread; only the first call has an effect.
  void end(std::string_view why);

 private:
  const Dependencies dependencies_;
  boost::asio::steady_timer timer_;  // on the thread
  std::atomic<bool> is_over_{false};
};

}  // namespace dynamo::process

// The end of a process whose orderly end does not come, because something in it is stuck for ever.
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
  // Of a process that was ended so.
  static constexpr int kExitCode = 3;

  // How long after its last deadline a shutdown may take. What an orderly one waits for beyond
  // them, at most: giving back the marker lease and withdrawing reports, 5 s each, and the log, 1
  // s.
  static constexpr std::chrono::seconds kGrace{15};

  struct Surroundings {
    aio::ControlLoop& thread;  // of its own, so that nothing can keep it from turning
    runtime::Logger& logger;
    // Names for the log; called on any thread, even when all that it names is stuck.
    std::function<std::string()> what_is_stuck;
    // Takes the exit code. Does not return, but in tests. Empty: the log tells, and that is all.
    std::function<void(int)> end_process;
  };

  explicit LastResort(Surroundings surroundings);

  // Ends the process after `limit`; of several limits the earliest counts. Destroying this, once
  // its thread stands still, is how the process gets away. Any thread.
  void arm(std::chrono::milliseconds limit);

  // Ends the process now. Any thread; only the first call does anything.
  void end(std::string_view why);

 private:
  const Surroundings needs_;
  boost::asio::steady_timer timer_;  // on the thread
  std::atomic<bool> is_over_{false};
};

}  // namespace dynamo::process

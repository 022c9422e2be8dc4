// SIGTERM and SIGINT as events: the first starts the shutdown, later ones speed it up.
#pragma once

#include <functional>
#include <memory>

#include "aio/control_loop.hpp"

namespace dynamo::process {

class ShutdownSignals {
 public:
  // Catches the signals from now on, process-wide. `on_signal` is called on `thread` with the
  // number of each signal, from 1; for the first one before wait() returns. Construct it before
  // `thread` is started.
  ShutdownSignals(aio::ControlLoop& thread, std::function<void(int)> on_signal);
  // Restores the signal handlers. `thread` must have been stopped.
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  // Blocks until the first signal, or end(). Not on `thread`.
  void wait();

  // Lets wait() return. The next signal counts as the second. Any thread.
  void end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::process

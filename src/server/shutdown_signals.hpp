// SIGTERM and SIGINT as events: the first begins the end, the second hurries it.
#pragma once

#include <functional>
#include <memory>

#include "server/control_loop.hpp"

namespace dynamo::server {

class ShutdownSignals {
 public:
  // Catches the signals from now on, process-wide; `on_second` is called on the control loop. Make
  // it before the control loop is started.
  ShutdownSignals(ControlLoop& control, std::function<void()> on_second);
  // Gives the signals back. The control loop must have been stopped.
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  // Blocks until the first signal came, or end() was called. Not on the control loop.
  void wait();

  // Lets wait() return, as if a signal had come. On the control loop.
  void end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::server

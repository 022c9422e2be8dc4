// The complete dynamo-reconciler process, built from its options: manager, probes, metrics,
// shutdown.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "process/cluster_connection.hpp"
#include "reconciler/app/options.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"

namespace dynamo::reconciler {

// Why valid options cannot be used: a file they name is missing or invalid. Check before creating a
// Program.
std::optional<std::string> unusable_options(const Options& options);

class Program {
 public:
  // Every member must outlive the program.
  struct Dependencies {
    runtime::Log& log;
    const runtime::Clock& clock;
    process::TransportFactory connect;
    std::string pod_namespace = {};  // empty outside of a pod
    std::string own_namespace;
    std::function<void(const std::string&)> print;  // for --dry-run
    // Ends the process with the exit code without running destructors, when a shutdown is stuck.
    std::function<void(int)> end_process = {};
  };

  Program(const Options& options, Dependencies dependencies);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Binds the addresses, except with --once, and starts. An error is one line for the user.
  runtime::Result<void> start();

  // Blocks until SIGTERM or SIGINT and returns 0; a second signal ends the process. With --once it
  // returns when done: 0, or 1 if something failed. Returns 1 if the process must not continue.
  int wait();

  // Drains running reconciles within the drain timeout, and releases the Leases.
  void stop();

  std::uint16_t probe_port() const;
  std::uint16_t metrics_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::reconciler

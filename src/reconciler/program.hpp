// The whole of dynamo-reconciler, put together from its options: manager, probes, metrics, its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "process/cluster_connection.hpp"
#include "reconciler/options.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"

namespace dynamo::reconciler {

// Why the options cannot be used though they can be read: what they name is missing or wrong. To be
// asked before a Program is made.
std::optional<std::string> unusable_options(const Options& options);

class Program {
 public:
  // All of it outlives the program.
  struct Surroundings {
    runtime::Log& log;
    const runtime::Clock& clock;
    process::Connect connect;
    std::string pod_namespace = {};  // empty outside of a pod
    std::string own_namespace;
    std::function<void(const std::string&)> print;  // of --dry-run
    // Ends the process with that exit code, without destroying anything: a shutdown is stuck.
    std::function<void(int)> end_process = {};
  };

  Program(const Options& options, Surroundings surroundings);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Binds the addresses, unless it runs --once, and begins. An error is one line for the user.
  runtime::Result<void> start();

  // Blocks until SIGTERM or SIGINT, and answers 0; a second signal ends the process. Or until
  // --once is done: 0, or 1 when something could not be done. Or until it must not go on: 1.
  int wait();

  // Ends passes within the drain timeout, and gives leases back.
  void stop();

  std::uint16_t probe_port() const;
  std::uint16_t metrics_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::reconciler

// Runs the controllers: what they see, who leads, which namespaces are ours, and when everything is
// looked at again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "process/cluster_connection.hpp"
#include "reconciler/controller.hpp"
#include "reconciler/metrics.hpp"
#include "reconciler/options.hpp"
#include "reconciler/world.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// Members belong to the loop's thread, or are called while the loop does not run, if nothing else
// is said.
class Manager {
 public:
  // All of them outlive the manager.
  struct Surroundings {
    boost::asio::io_context& loop;
    process::Connect connect;  // asked twice: the leader's Lease has a way of its own
    const runtime::Clock& clock;
    runtime::Logger& logger;
    ReconcilerMetrics& metrics;
    std::string identity;            // of this process, in Leases and Events
    std::string pod_namespace = {};  // of the pod that runs this process; empty outside of one
    std::string own_namespace;       // where the leader's Lease lies unless a flag says so
    std::function<void(const std::string&)> print = {};  // of a dry run
    // The process is to end, with that exit code: once everything was done that --once asks for, or
    // because a marker lease could not be kept. Called on the loop's thread, at most once.
    std::function<void(int)> must_end = [](int) {};
    // Beside those of --controllers, for tests.
    std::vector<Controller*> more = {};
  };

  Manager(const Options& options, Surroundings surroundings);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Begins. Never fails: what cannot be reached is tried again. Any thread.
  void start();
  // Begins no pass any more, lets those under way end for so long, ends everything, writes the
  // events that wait and gives the leases back. Not on the loop's thread, which must run.
  void stop(std::chrono::milliseconds drain);

  // Why it is not ready; nothing when everything that is watched is complete.
  std::optional<std::string> not_ready() const;
  bool leads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::reconciler

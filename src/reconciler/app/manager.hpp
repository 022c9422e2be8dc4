// Runs the controllers: caches, leader election, namespace scope, and periodic re-evaluation.
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

#include "kube/client/discovery.hpp"
#include "process/cluster_connection.hpp"
#include "reconciler/app/options.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/metrics.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// Members belong to the loop's thread, or are called while the loop is not running, unless
// documented otherwise.
class Manager {
 public:
  // Every member must outlive the manager.
  struct Dependencies {
    boost::asio::io_context& loop;
    process::TransportFactory connect;  // called twice: the leader's Lease has its own transport
    const runtime::Clock& clock;
    runtime::Logger& logger;
    ReconcilerMetrics& metrics;
    std::string identity;            // of this process, in Leases and Events
    std::string pod_namespace = {};  // of the pod that runs this process; empty outside of a pod
    std::string own_namespace;       // default namespace of the leader's Lease
    std::function<void(const std::string&)> print = {};  // dry run only
    kube::DiscoveryOptions discovery = {};               // how often served APIs are read
    // Called when the process must exit, with the exit code: after --once has finished, or because
    // a marker Lease was lost, or because --mode replacement found definitions of later operators.
    // Called on the loop's thread, at most once.
    std::function<void(int)> must_end = [](int) {};
    // Additional reconcilers, for tests.
    std::vector<Reconciler*> more = {};
  };

  Manager(const Options& options, Dependencies dependencies);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Starts. Never fails: unreachable servers are retried. Any thread.
  void start();
  // Starts no further reconciles, lets running ones finish within `drain`, stops all tasks, flushes
  // pending events and releases the Leases. Must not be called on the loop's thread, which must be
  // running.
  void stop(std::chrono::milliseconds drain);

  // Why the manager is not ready; nullopt if all caches are complete.
  std::optional<std::string> not_ready() const;
  bool leads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::reconciler

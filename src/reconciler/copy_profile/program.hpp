// `dynamo-reconciler copy-profile` as a process: one run of the copier, and signals.
#pragma once

#include <functional>

#include "process/cluster_connection.hpp"
#include "reconciler/copy_profile/options.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler::copy_profile {

// Every member must outlive the run.
struct Dependencies {
  runtime::Logger& logger;
  const runtime::Clock& clock;
  process::TransportFactory connect;
  // Ends the process with the exit code without running destructors, after a signal.
  std::function<void(int)> end_process = {};
};

// Blocks until the output is copied or cannot be; returns the exit code. The options have a pod and
// a namespace.
int run_copier(const Options& options, const Dependencies& dependencies);

}  // namespace dynamo::reconciler::copy_profile

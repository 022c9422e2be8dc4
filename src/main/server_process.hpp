// Parts of the processes dynamo-webhook and dynamo-reconciler: their environment and their end.
#pragma once

#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include "kube/config/config.hpp"
#include "process/cluster_connection.hpp"
#include "runtime/log.hpp"

namespace dynamo::main {

inline std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Kubernetes provides these variables and files in each pod.
inline process::ClusterEnvironment cluster_environment() {
  return {.service_host = environment_variable("KUBERNETES_SERVICE_HOST"),
          .service_port = environment_variable("KUBERNETES_SERVICE_PORT"),
          .service_account_directory = std::string(kube::kServiceAccountDirectory)};
}

// Skips destructors: they would wait for whatever is stuck.
[[noreturn]] inline void end_process(const runtime::Log& log, int code) {
  log.wait_until_written(std::chrono::seconds(1));
  std::_Exit(code);
}

// Destructors may wait for operations that cannot be cancelled, such as a name lookup that no
// server answers. This limits the wait.
inline int end_soon(int code) {
  static constexpr std::chrono::seconds kPatience{5};
  std::thread([code] {
    std::promise<void> never;
    never.get_future().wait_for(kPatience);
    std::_Exit(code);
  }).detach();
  return code;
}

}  // namespace dynamo::main

// Health as Kubernetes asks for it: /healthz and /readyz over named checks, and /metrics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/plain_http.hpp"

namespace dynamo::server {

// Nothing when all is well, else the reason in a few words. Called on the control loop.
using HealthCheck = std::function<std::optional<std::string>()>;

// Answers GET /healthz (the process lives: always 200 while its control loop turns) and GET /readyz
// (200 when every check passes, else 503). A failure, or ?verbose, lists each check on a line of
// its own as kube-apiserver does: "[+]listener ok", "[-]certificate failed: expired 3m ago".
class Probes {
 public:
  // Before the endpoint is started; not thread-safe.
  void add(std::string name, HealthCheck check);

  PlainAnswer answer(std::string_view path, std::string_view query) const;

 private:
  struct Named {
    std::string name;
    HealthCheck check;
  };

  PlainAnswer ready(bool is_verbose) const;

  std::vector<Named> checks_;
};

// Answers GET /metrics with what `text` returns, in Prometheus' text format.
PlainHandler metrics_handler(std::function<std::string()> text);

}  // namespace dynamo::server

// Health as Kubernetes asks for it: /healthz and /readyz over named checks, and /metrics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/plain_http.hpp"

namespace dynamo::process {

// Nothing when all is well, else the reason in a few words. Called on the control loop.
using HealthCheck = std::function<std::optional<std::string>()>;

// Answers GET /healthz (whether the process is worth keeping) and GET /readyz (whether it can be
// sent requests): 200 when every check passes, else 503. A failure, or ?verbose, lists each check
// on a line of its own as kube-apiserver does: "[+]listener ok", "[-]certificate failed: expired 3m
// ago".
class Probes {
 public:
  // Before the endpoint is started; not thread-safe.
  void add(std::string name, HealthCheck check);
  // The same for /healthz, whose failure gets the process restarted. That it answers at all is its
  // first check, "ping".
  void add_liveness(std::string name, HealthCheck check);

  PlainAnswer answer(std::string_view path, std::string_view query) const;

 private:
  struct Named {
    std::string name;
    HealthCheck check;
  };

  static PlainAnswer answer_of(const std::vector<Named>& checks, std::string_view endpoint,
                               bool is_verbose);

  std::vector<Named> readiness_;
  std::vector<Named> liveness_{{"ping", [] { return std::nullopt; }}};
};

// Answers GET /metrics with what `text` returns, in Prometheus' text format.
PlainHandler metrics_handler(std::function<std::string()> text);

}  // namespace dynamo::process

// Health endpoints for Kubernetes: /healthz and /readyz over named checks, and /metrics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/plain_http.hpp"

namespace dynamo::process {

// nullopt if healthy, otherwise the reason in a few words. Called on the control loop.
using HealthCheck = std::function<std::optional<std::string>()>;

// Answers GET /healthz (liveness) and GET /readyz (readiness): 200 if every check passes, otherwise
// 503. A failure, or ?verbose, lists one check per line as kube-apiserver does: "[+]listener ok",
// "[-]certificate failed: expired 3m ago".
class Probes {
 public:
  // Call it before the endpoint is started; not thread-safe.
  void add(std::string name, HealthCheck check);
  // The same for /healthz, whose failure makes the kubelet restart the container. Its first check,
  // "ping", always passes.
  void add_liveness(std::string name, HealthCheck check);

  PlainAnswer answer(std::string_view path, std::string_view query) const;

 private:
  struct NamedCheck {
    std::string name;
    HealthCheck check;
  };

  static PlainAnswer answer_of(const std::vector<NamedCheck>& checks, std::string_view endpoint,
                               bool is_verbose);

  std::vector<NamedCheck> readiness_;
  std::vector<NamedCheck> liveness_{{"ping", [] { return std::nullopt; }}};
};

// Answers GET /metrics with the result of `text`, in Prometheus' text format.
PlainHandler metrics_handler(std::function<std::string()> text);

}  // namespace dynamo::process

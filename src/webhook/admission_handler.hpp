// Answers webhook requests: passes each to the reviewer, then counts and logs the result. Adds
// observability to the pure core.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "admission/namespace_lease.hpp"
#include "admission/review.hpp"
#include "api/cluster_objects.hpp"
#include "api/context.hpp"
#include "process/policy_file.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/rcu_cell.hpp"
#include "server/handler.hpp"
#include "webhook/metrics.hpp"

namespace dynamo::webhook {

// Shared by all handlers of a process. The references outlive the handlers, and are safe to use
// from several threads.
struct AdmissionServices {
  const api::Settings& settings;
  // Cluster facts; each request uses one snapshot.
  const runtime::RcuCell<api::ClusterFacts>& facts;
  const runtime::RcuCell<admission::NamespaceLeases>& leases;
  WebhookMetrics& metrics;
  runtime::Logger& logger;
  const runtime::Clock& clock;
  const process::PolicyFile* policy = nullptr;                     // null: none
  const runtime::RcuCell<api::ClusterObjects>* objects = nullptr;  // null: no lookups
};

struct AdmissionOptions {
  admission::Enforcement enforcement = admission::Enforcement::kDeny;
  std::size_t max_json_depth = 128;
  bool log_allowed = false;  // one line per allowed request, too
};

// One per event loop. A defect in a rule is logged with the uid and leaves as an exception. The
// session answers 500, so that the API server's failurePolicy decides.
class AdmissionHandler final : public server::RequestHandler {
 public:
  AdmissionHandler(const AdmissionServices& services, const AdmissionOptions& options);

  bool knows(std::string_view path) const override;
  void handle(const server::HttpRequest& request, server::HttpAnswer& answer) override;

 private:
  void handle_review(const server::HttpRequest& request, const api::ClusterObjects* objects,
                     server::HttpAnswer& answer);
  admission::ReviewResult review(const admission::Route& route, const server::HttpRequest& request,
                                 const admission::EvaluationInputs& inputs,
                                 server::HttpAnswer& answer);
  void count(const admission::Route& route, const admission::ReviewResult& outcome,
             std::chrono::nanoseconds duration);
  void count_ignored(api::Kind kind, const admission::Decision& decision);
  void count_findings(const api::ErrorList& findings);
  void count_finding(std::string_view rule, CauseSeverity severity);
  void log_defect(std::string_view message, const admission::Route& route, std::string_view reason);
  void log(const admission::Route& route, const admission::ReviewResult& outcome);

  // The current policy, or null. Locks the file's mutex only after a change.
  const admission::Policy* policy();

  AdmissionServices services_;
  AdmissionOptions options_;
  std::uint64_t policy_generation_ = 0;
  std::shared_ptr<const admission::Policy> policy_;
  admission::Reviewer reviewer_;
};

// The ids of all rules in catalog order, which is the order of the metrics' cells.
std::span<const std::string_view> metric_rule_ids();

}  // namespace dynamo::webhook

// Options of dynamo-reconciler. The flags that set them are defined in flag_table.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/context.hpp"
#include "cluster/reconciler_lease.hpp"
#include "reconciler/render_options.hpp"
#include "reconciler/validation/plan.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// One member per flag. The defaults equal those of the flag table, so tests can use a default
// object.
struct Options : RenderOptions {
  runtime::Address health_probe_bind_address{"", 8081};
  runtime::Address metrics_bind_address{"", 8080};

  std::vector<std::string> controllers{"validation"};
  validation::Mode mode = validation::Mode::kCompanion;
  bool once = false;
  bool dry_run = false;
  std::size_t workers = 8;  // per controller
  std::chrono::nanoseconds reconcile_timeout = std::chrono::seconds(30);

  bool enable_webhooks = false;
  std::string policy;  // empty: none
  bool admission_record = true;
  std::string operator_version = "unknown";
  std::optional<api::ServiceAccount> operator_service_account;
  std::vector<api::ServiceAccount> planner_service_accounts;
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  api::Fact discovery_backend = api::Fact::kUnknown;  // kYes: kubernetes, kNo: etcd

  std::string etcd_ca_file;  // empty: system roots

  std::string restricted_namespace;  // empty: the whole cluster
  bool exclude_ephemeral = true;
  std::vector<std::string> excluded_namespaces{"kube-system", "kube-node-lease"};
  bool excludes_pod_namespace = true;  // false if --excluded-namespaces is set
  std::chrono::nanoseconds namespace_scope_lease_duration = std::chrono::seconds(30);
  std::chrono::nanoseconds namespace_scope_lease_renew_interval = std::chrono::seconds(10);
  std::vector<std::string> lease_namespaces;  // globs; empty: any
  std::vector<std::string> lease_holders;     // globs; empty: any
  std::chrono::nanoseconds lease_max_duration = std::chrono::minutes(5);

  bool leader_elect = true;
  std::string leader_election_id{cluster::kReconcilerLease};
  std::string leader_election_namespace;  // empty: the connection's namespace
  std::chrono::nanoseconds leader_election_lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds leader_election_renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds leader_election_retry_period = std::chrono::seconds(2);
  // The Lease of the Go operator's leader election.
  std::string operator_lease_name{cluster::kOperatorLease};
  std::string operator_lease_namespace;  // empty: kube-system, or the restricted namespace

  std::string kubeconfig;    // empty: the pod's service account
  std::string kube_context;  // empty: the current context
  std::size_t kube_connections = 16;

  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(10);
  runtime::Level log_level = runtime::Level::kInfo;
  runtime::LogFormat log_format = runtime::LogFormat::kJson;
};

}  // namespace dynamo::reconciler

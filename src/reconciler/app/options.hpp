// Options of dynamo-reconciler. The flags that set them are defined in flag_table.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cluster/reconciler_lease.hpp"
#include "desired/render_options.hpp"
#include "process/cluster_options.hpp"
#include "reconciler/validation/plan.hpp"

namespace dynamo::reconciler {

// One member per flag. The defaults equal those of the flag table, so tests can use a default
// object.
struct Options : RenderOptions, process::ClusterOptions {
  Options() {
    operator_version = "unknown";
    drain_timeout = std::chrono::seconds(10);
  }

  std::vector<std::string> controllers{"validation"};
  validation::Mode mode = validation::Mode::kCompanion;
  bool once = false;
  bool dry_run = false;
  std::size_t workers = 8;  // per controller
  std::chrono::nanoseconds reconcile_timeout = std::chrono::seconds(30);

  bool enable_webhooks = false;
  bool admission_record = true;

  // For our own calls of etcd. Empty: system roots, no certificate, no password.
  std::string etcd_ca_file;
  std::string etcd_cert_file;
  std::string etcd_key_file;
  std::string etcd_username_file;
  std::string etcd_password_file;

  std::size_t max_profiling_jobs = 10;  // 0: no limit

  bool exclude_ephemeral = true;
  std::vector<std::string> excluded_namespaces{"kube-system", "kube-node-lease"};
  bool excludes_pod_namespace = true;  // false if --excluded-namespaces is set

  bool leader_elect = true;
  std::string leader_election_id{cluster::kReconcilerLease};
  std::string leader_election_namespace;  // empty: the connection's namespace
  std::chrono::nanoseconds leader_election_lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds leader_election_renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds leader_election_retry_period = std::chrono::seconds(2);
  // The Lease of the Go operator's leader election.
  std::string operator_lease_name{cluster::kOperatorLease};
  std::string operator_lease_namespace;  // empty: kube-system, or the restricted namespace

  std::size_t kube_connections = 16;
};

}  // namespace dynamo::reconciler

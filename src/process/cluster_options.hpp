// The options that dynamo-webhook and dynamo-reconciler share. The flags that set them are defined
// in shared_flags.cpp.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/context.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/log.hpp"

namespace dynamo::process {

// One member per flag. The defaults equal those of the shared flags; the programs have different
// ones for `operator_version` and `drain_timeout`.
struct ClusterOptions {
  runtime::Address health_probe_bind_address{"", 8081};
  runtime::Address metrics_bind_address{"", 8080};

  std::string policy;                // empty: none
  std::string restricted_namespace;  // empty: the whole cluster
  std::string operator_version;
  std::optional<api::ServiceAccount> operator_service_account;
  // in addition to the one of each namespace
  std::vector<api::ServiceAccount> planner_service_accounts;
  // nullopt: detected in the cluster
  std::optional<api::OperatorGeneration> operator_generation = api::OperatorGeneration::kUnknown;
  api::Fact discovery_backend = api::Fact::kUnknown;  // kYes: kubernetes, kNo: etcd
  api::Fact operator_checkpoints = api::Fact::kUnknown;
  api::Fact operator_gpu_discovery = api::Fact::kUnknown;
  std::string dgdr_default_image;  // empty: the planner's of the operator's version

  std::string kubeconfig;    // empty: the pod's service account
  std::string kube_context;  // empty: the file's current one
  std::chrono::nanoseconds namespace_scope_lease_duration = std::chrono::seconds(30);
  std::chrono::nanoseconds namespace_scope_lease_renew_interval = std::chrono::seconds(10);
  std::vector<std::string> lease_namespaces;  // globs; empty: any
  std::vector<std::string> lease_holders;     // globs; empty: any
  std::chrono::nanoseconds lease_max_duration = std::chrono::minutes(5);

  std::chrono::nanoseconds drain_timeout{};
  runtime::Level log_level = runtime::Level::kInfo;
  runtime::LogFormat log_format = runtime::LogFormat::kJson;
};

}  // namespace dynamo::process

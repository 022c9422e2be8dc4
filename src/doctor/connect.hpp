// Connection settings for the cluster that the doctor checks from outside.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kube/config/config.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::doctor {

// Where the cluster is, as named by the user or the environment.
struct ClusterAddress {
  std::string kubeconfig = {};         // empty: in a cluster, as a pod
  std::string kubeconfig_source = {};  // for errors: "from KUBECONFIG"
  std::string context = {};
  std::string service_host = {};  // KUBERNETES_SERVICE_HOST
  std::string service_port = {};
  // Files mounted into a pod; empty: Kubernetes' default directory.
  std::string service_account_directory = {};
};

// Reads files. Returns kConfig and one line for the user if there is no cluster to connect to.
kube::Result<kube::ConnectionConfig> find_cluster(const ClusterAddress& address,
                                                  const runtime::Clock& clock);

// For a client that reports its errors in its results.
class NoLog final : public runtime::Logger {
 public:
  void log(runtime::Level, std::string_view, std::span<const runtime::Field>) override {}
  bool is_enabled(runtime::Level) const override { return false; }
};

}  // namespace dynamo::doctor

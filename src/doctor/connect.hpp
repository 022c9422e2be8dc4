// The way to the cluster that is looked at from outside.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kube/config.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::doctor {

// Where a cluster is, as somebody named it or as the surroundings say.
struct ClusterAddress {
  std::string kubeconfig = {};         // empty: in a cluster, as a pod
  std::string kubeconfig_source = {};  // for errors: "from KUBECONFIG"
  std::string context = {};
  std::string service_host = {};  // KUBERNETES_SERVICE_HOST
  std::string service_port = {};
  // What a pod is given; empty: where Kubernetes puts it.
  std::string service_account_directory = {};
};

// Reads files. kConfig, and one line for people, when there is no cluster to look at.
kube::Result<kube::ConnectionConfig> find_cluster(const ClusterAddress& address,
                                                  const runtime::Clock& clock);

// For a client whose trouble is in what it answers.
class NoLog final : public runtime::Logger {
 public:
  void log(runtime::Level, std::string_view, std::span<const runtime::Field>) override {}
  bool enabled(runtime::Level) const override { return false; }
};

}  // namespace dynamo::doctor

#include "doctor/connect.hpp"

namespace dynamo::doctor {

kube::Result<kube::ConnectionConfig> find_cluster(const ClusterAddress& address,
                                                  const runtime::Clock& clock) {
  if (!address.kubeconfig.empty()) {
    return kube::load_kubeconfig(address.kubeconfig, address.context, clock,
                                 address.kubeconfig_source);
  }
  if (address.context.empty() && !address.service_host.empty()) {
    const std::string_view directory = address.service_account_directory.empty()
                                           ? kube::kServiceAccountDirectory
                                           : std::string_view(address.service_account_directory);
    return kube::load_in_cluster(directory, address.service_host, address.service_port);
  }
  kube::Error error;
  error.failure = kube::FailureKind::kConfig;
  error.text = address.context.empty()
                   ? "no cluster to check: name a kubeconfig with --kubeconfig"
                   : "a context must be one of a kubeconfig, and there is none; name it with "
                     "--kubeconfig";
  return error;
}

}  // namespace dynamo::doctor

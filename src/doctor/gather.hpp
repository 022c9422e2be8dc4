// Gathers evidence from a cluster's API server, and from the webhook itself if it is reachable.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "api/context.hpp"
#include "cluster/lease_trust.hpp"
#include "doctor/evidence.hpp"
#include "kube/http/transport.hpp"

namespace dynamo::doctor {

struct GatherOptions {
  GatherOptions() = default;
  // Empty: the restricted one, else "default".
  std::string dry_run_namespace;
  // The value of the server's flag with that name; empty: it covers the whole cluster.
  std::string restricted_namespace;
  // NAMESPACE/NAME of the Secret with the served certificate, used if no pod is reachable.
  std::string secret;
  // NAMESPACE/NAME of the account whose permissions are checked; empty: those of the caller.
  std::string service_account;
  // NAMESPACE/NAME of the account of `--role keeper`; empty: the server does the keeper's work.
  std::string keeper_account;
  // The value of the server's flag with that name; permissions to read these are checked, too.
  std::vector<std::string> cluster_lookups;
  bool inject_crds = false;  // likewise
  // Of the server's --operator-generation; kUnknown: not compared with the cluster.
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  // NAMESPACE/NAME of leader Leases of reconcilers, in addition to all named dynamo-reconciler.
  std::vector<std::string> reconciler_leases;
  // NAMESPACE/NAME of the operator's leader Lease in the server's scope, in addition to all named
  // dynamo.nvidia.com; empty: none.
  std::string operator_lease;
  cluster::LeaseTrust lease_trust = {};  // the server's flags --lease-...
  // The caller is the server itself: in one of its pods.
  bool as_server = false;
  std::string pod_namespace;  // if as_server: the pod's namespace; empty: unknown
  // For one TLS connection to an endpoint.
  std::chrono::milliseconds reach{3'000};
  // From the start of gathering; after this time no further endpoint is probed.
  std::chrono::milliseconds all_reach{25'000};
  // For the dry run. The API server waits for the mutating and then for the validating webhook, at
  // most 30 s each, before it reports that it cannot call them.
  std::chrono::milliseconds dry_run{65'000};
};

// Changes nothing: writes are dry runs or access reviews. Fails only if the API server cannot be
// queried at all; any other failure is part of the evidence. `evidence` is filled step by step, so
// a caller that stops waiting can use what it has. `transport` must outlive the coroutine.
aio::Task<kube::Result<void>> gather(kube::Transport& transport, std::string server,
                                     GatherOptions options, TimePoint now,
                                     std::shared_ptr<Evidence> evidence);

}  // namespace dynamo::doctor

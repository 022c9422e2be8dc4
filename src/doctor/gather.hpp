// Looks at a cluster through its API server, and at the webhook itself where it can be reached.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "cluster/lease_trust.hpp"
#include "doctor/evidence.hpp"
#include "kube/transport.hpp"

namespace dynamo::doctor {

struct GatherOptions {
  GatherOptions() = default;
  // Empty: the restricted one, else "default".
  std::string dry_run_namespace;
  // As the server's flag of that name; empty: it judges the whole cluster.
  std::string restricted_namespace;
  // NAMESPACE/NAME of the Secret with the served certificate, for when the pods cannot be reached.
  std::string secret;
  // NAMESPACE/NAME whose rights are asked for; empty: those of whoever asks.
  std::string service_account;
  // NAMESPACE/NAME of the account of `--role keeper`; empty: the server does what a keeper does.
  std::string keeper_account;
  // As the server's flag of that name: its rights to these are asked for, too.
  std::vector<std::string> cluster_lookups;
  bool inject_crds = false;  // the same
  // NAMESPACE/NAME of Leases by which reconcilers elect, beside all that are called
  // dynamo-reconciler.
  std::vector<std::string> reconciler_leases;
  // NAMESPACE/NAME of that by which the operator elects in the scope of the server, beside all that
  // are called dynamo.nvidia.com; empty: none.
  std::string operator_lease;
  cluster::LeaseTrust lease_trust = {};  // as the server's flags --lease-...
  // Whoever asks is the server itself: in one of its pods.
  bool as_server = false;
  std::string pod_namespace;  // then that of the pod; empty: not known
  // For one TLS connection to an endpoint.
  std::chrono::milliseconds reach{3'000};
  // From the start on, until endpoints that were not asked yet are left alone.
  std::chrono::milliseconds all_reach{25'000};
  // For the dry run. The API server waits for the mutating and then for the validating webhook, for
  // at most 30 s each, before it says that it cannot call them.
  std::chrono::milliseconds dry_run{65'000};
};

// Changes nothing: writes are dry runs or reviews of rights. An error only when the API server
// cannot be asked at all; everything else that fails is part of the evidence, which is filled bit
// by bit, so that who does not wait for the end has what there is. `transport` must outlive the
// coroutine.
aio::Task<kube::Result<void>> gather(kube::Transport& transport, std::string server,
                                     GatherOptions options, TimePoint now,
                                     std::shared_ptr<Evidence> evidence);

}  // namespace dynamo::doctor

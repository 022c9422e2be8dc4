// Looks at a cluster through its API server, and at the webhook itself where it can be reached.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "doctor/evidence.hpp"
#include "kube/task.hpp"
#include "kube/transport.hpp"

namespace dynamo::doctor {

struct GatherOptions {
  GatherOptions() = default;
  std::string dry_run_namespace = "default";
  // NAMESPACE/NAME of the Secret with the served certificate, for when the pods cannot be reached.
  std::string secret;
  // NAMESPACE/NAME whose rights are asked for; empty: those of whoever asks.
  std::string service_account;
  // As the server's flag of that name: its rights to these are asked for, too.
  std::vector<std::string> cluster_lookups;
  // Whoever asks is the server itself: in one of its pods.
  bool as_server = false;
  // For one TLS connection to an endpoint.
  std::chrono::milliseconds reach{3'000};
  // From the start on, until endpoints that were not asked yet are left alone.
  std::chrono::milliseconds all_reach{25'000};
};

// Changes nothing: writes are dry runs or reviews of rights. An error only when the API server
// cannot be asked at all; everything else that fails is part of the evidence. `transport` must
// outlive the coroutine.
kube::Task<kube::Result<Evidence>> gather(kube::Transport& transport, std::string server,
                                          GatherOptions options, TimePoint now);

}  // namespace dynamo::doctor

// Polls the APIs that the API server serves, and publishes them to the threads that evaluate
// requests.
#pragma once

#include "aio/task.hpp"
#include "api/context.hpp"
#include "cluster/facts.hpp"
#include "kube/client/client.hpp"
#include "kube/client/discovery.hpp"
#include "runtime/log.hpp"
#include "runtime/rcu_cell.hpp"

namespace dynamo::cluster {

// On the loop's thread.
class FactsWatch {
 public:
  using RcuCell = runtime::RcuCell<api::ClusterFacts>;

  // Everything given must outlive it. Publishes when a refresh finds a change. Before the first one
  // no fact of the cluster is known.
  FactsWatch(kube::Client& client, const ConfiguredFacts& configured, RcuCell& published,
             runtime::Logger& logger, const kube::DiscoveryOptions& options = {});

  // Runs until it is cancelled. Spawn it once.
  aio::Task<> run() { return discovery_.run(); }

 private:
  void publish();

  const ConfiguredFacts configured_;
  RcuCell& published_;
  runtime::Logger& logger_;
  kube::Discovery discovery_;
};

}  // namespace dynamo::cluster

// A replica that takes part in an election, and the callbacks it received.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "kube/controller/leader_election.hpp"
#include "tests/support/fake_cluster.hpp"

namespace dynamo::kube {

struct Candidate {
  Candidate(test::FakeCluster& cluster, const runtime::Clock& clock, runtime::Logger& logger,
            const std::string& name)
      : connection(cluster.connect(name)),
        client(*connection),
        election(
            client, options(name), clock, logger, [this] { ++gained; }, [this] { ++lost; }) {}

  static ElectionOptions options(std::string identity) {
    ElectionOptions options;
    options.namespace_name = "dynamo";
    options.name = "leader";
    options.identity = std::move(identity);
    return options;
  }

  std::unique_ptr<Transport> connection;
  Client client;
  int gained = 0;
  int lost = 0;
  LeaderElection election;
  bool busy = false;  // a step or a release is running
};

}  // namespace dynamo::kube

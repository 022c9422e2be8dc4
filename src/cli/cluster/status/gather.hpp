// Reads a snapshot from the API server. Changes nothing.
#pragma once

#include <string>

#include "aio/task.hpp"
#include "cli/cluster/status/snapshot.hpp"
#include "kube/client/client.hpp"

namespace dynamo::doctor::status {

struct Query {
  Query() = default;
  std::string namespace_name;  // empty: all
  std::string name;            // of a graph or another object; empty: all
};

// Fails only if the API server cannot be queried at all; kinds that are forbidden or absent are
// part of the snapshot. `client` must outlive the coroutine.
aio::Task<kube::Result<Snapshot>> gather(kube::Client client, Query query, TimePoint now);

}  // namespace dynamo::doctor::status

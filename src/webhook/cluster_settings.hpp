// What the webhook's flags say of the cluster.
#pragma once

#include "process/cluster_connection.hpp"
#include "runtime/flags.hpp"

namespace dynamo::webhook {

process::ClusterSettings cluster_settings(const runtime::Options& options);

}  // namespace dynamo::webhook

// What the webhook's flags say of the cluster.
#pragma once

#include "process/cluster_connection.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

process::ClusterSettings cluster_settings(const Options& options);

}  // namespace dynamo::webhook

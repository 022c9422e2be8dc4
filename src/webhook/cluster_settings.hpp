// Cluster settings from the webhook's flags.
#pragma once

#include "process/cluster_connection.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

// True if --cluster-lookups requests Secrets and the settings exclude them: without client
// certificates any client that reaches the port could find out which Secrets exist.
bool omits_secrets(const Options& options);

process::ClusterSettings cluster_settings(const Options& options);

}  // namespace dynamo::webhook

// What the webhook's flags say of the cluster.
#pragma once

#include "process/cluster_connection.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

// Whether --cluster-lookups asks for Secrets and the settings leave them out: without client
// certificates anyone who reaches the port could ask which Secrets exist.
bool leaves_secrets_out(const Options& options);

process::ClusterSettings cluster_settings(const Options& options);

}  // namespace dynamo::webhook

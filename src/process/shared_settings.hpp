// Derives settings from the options that dynamo-webhook and dynamo-reconciler share.
#pragma once

#include "api/context.hpp"
#include "cluster/facts.hpp"
#include "cluster/lease_trust.hpp"
#include "cluster/marker_plan.hpp"
#include "process/cluster_options.hpp"

namespace dynamo::process {

// The settings that rules read.
api::Settings settings_of(const ClusterOptions& options);
cluster::LeaseTrust lease_trust(const ClusterOptions& options);
cluster::MarkerLeaseOptions marker_options(const ClusterOptions& options);
// `operator_replaced`: dynamo-reconciler runs graphs in the place of the operator.
cluster::ConfiguredFacts configured_facts(const ClusterOptions& options, bool operator_replaced);

}  // namespace dynamo::process

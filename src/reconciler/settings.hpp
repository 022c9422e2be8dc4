// What the parts of the reconciler are told, out of its options.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cluster/facts.hpp"
#include "cluster/lease_trust.hpp"
#include "cluster/marker_plan.hpp"
#include "kube/event_recorder.hpp"
#include "kube/leader_election.hpp"
#include "reconciler/children/settings.hpp"
#include "reconciler/options.hpp"

namespace dynamo::reconciler {

cluster::ConfiguredFacts configured_facts(const Options& options);
// Where nothing is built. `pod_namespace`: of the pod that runs this process; empty outside of one.
std::vector<std::string> excluded_namespaces(const Options& options,
                                             const std::string& pod_namespace);
cluster::LeaseTrust lease_trust(const Options& options);
cluster::MarkerLeaseOptions marker_options(const Options& options);
kube::ElectionOptions election_options(const Options& options, const std::string& own_namespace,
                                       const std::string& identity);
// What a call of the leader may take: it is over before another can lead, which is no sooner than
// the lease's duration after the last renewal, while ours gives up after the renew deadline. A
// fifth of what lies between is left to clocks; 4 s of the usual 5.
std::chrono::milliseconds call_deadline(const Options& options);
kube::EventRecorderOptions recorder_options(const Options& options, const std::string& identity,
                                            std::function<bool()> may_send);
// What the operator would be told by flags of the same names.
ChildSettings child_settings(const Options& options);
// Where the Lease of the Go operator's leader lies.
std::string operator_lease_namespace(const Options& options);

}  // namespace dynamo::reconciler

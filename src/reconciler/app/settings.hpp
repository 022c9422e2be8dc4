// Derives the settings of the reconciler's parts from its options.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "desired/settings.hpp"
#include "kube/controller/event_recorder.hpp"
#include "kube/controller/leader_election.hpp"
#include "reconciler/app/options.hpp"

namespace dynamo::reconciler {

// Namespaces in which no objects are created. `pod_namespace`: of the pod that runs this process;
// empty outside of a pod.
std::vector<std::string> excluded_namespaces(const Options& options,
                                             const std::string& pod_namespace);
kube::ElectionOptions election_options(const Options& options, const std::string& own_namespace,
                                       const std::string& identity);
// Time limit of a call by the leader: it must end before another replica can lead. That is at the
// earliest one lease duration after the last renewal, while we give up after the renew deadline. A
// fifth of the difference is a margin for clocks; 4 s with the default of 5.
std::chrono::milliseconds call_deadline(const Options& options);
kube::EventRecorderOptions recorder_options(const Options& options, const std::string& identity,
                                            std::function<bool()> can_send);
// The settings that the operator derives from flags of the same names.
RenderSettings render_settings(const Options& options);
// The namespace of the Go operator's leader Lease.
std::string operator_lease_namespace(const Options& options);

}  // namespace dynamo::reconciler

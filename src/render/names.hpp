// The names of what the controllers create, as their formulas say; whether Kubernetes takes them is
// for the rules to judge. Nothing is allocated until a name is written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "render/component.hpp"
#include "render/name.hpp"

namespace dynamo::render {

// Grove puts three names together into that of a pod and leaves room for what it adds.
inline constexpr std::size_t kLongestGroveName = 45;
// A LeaderWorkerSet makes StatefulSets, which hang a hash of ten characters on their name; both
// together are a label.
inline constexpr std::size_t kLongestLeaderWorkerSetName = 51;

// What Grove counts against kLongestGroveName: graph and clique, and the scaling group between them
// where there are several nodes.
std::size_t grove_name_length(const Component& component);

// PodClique of the role inside the PodCliqueSet: "service", "service-ldr", "service-wkr".
Name clique_name(const Component& component, Role role);
// PodCliqueScalingGroup inside the PodCliqueSet.
Name scaling_group_name(const Component& component);
// The PodClique or PodCliqueScalingGroup that Grove makes of it: "graph-0-service".
Name grove_child_name(const Component& component);
// The name of the PodCliqueSet is the graph's own.

// LeaderWorkerSet and PodGroup of one replica, counted from 0.
Name leader_worker_set_name(const Component& component, std::int64_t replica);

// The component's Deployment, or the debug twin beside it.
Name deployment_name(const Component& component);
// Deployment beside the main one while traffic is stolen for debugging; a Service has its name too.
Name debug_name(const Component& component);
// Service of the pods that are not for debugging.
Name production_service_name(const Component& component);

// Headless Service of a model; `hash` is base_model_hash of its name and must outlive the result.
Name model_service_name(std::string_view hash);

// ServiceAccount that lets pods discover each other; "-role" and "-binding" hang on it.
Name discovery_account_name(std::string_view graph);
Name discovery_role_name(std::string_view graph);
Name discovery_binding_name(std::string_view graph);

// ConfigMap and InferencePool of an endpoint picker.
Name endpoint_picker_config_name(std::string_view graph);
Name inference_pool_name(std::string_view graph);

Name profiling_job_name(std::string_view request);
Name profiling_output_name(std::string_view request);
Name checkpoint_job_name(std::string_view checkpoint);

}  // namespace dynamo::render

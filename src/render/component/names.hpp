// The names of the objects that the controllers create. The rules check whether Kubernetes accepts
// them. Nothing is allocated until a name is written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/name.hpp"

namespace dynamo::render {

// Grove joins three names to that of a pod. The limit leaves room for what it appends.
inline constexpr std::size_t kLongestGroveName = 45;
// A LeaderWorkerSet creates StatefulSets, which append a hash of ten characters to their name. The
// result must fit in a label.
inline constexpr std::size_t kLongestLeaderWorkerSetName = 51;

// The length that counts against kLongestGroveName: graph and clique, plus the scaling group if
// there are several nodes.
std::size_t grove_name_length(const Component& component);

// The PodClique of the role inside the PodCliqueSet: "service", "service-ldr", "service-wkr".
Name clique_name(const Component& component, PodRole role);
// A PodCliqueSet has the graph's own name.

// Where pods of a node share its GPUs: the clique of the service that holds them, and that of the
// engines.
Name memory_service_clique_name(const Component& component, std::int64_t node);
Name engine_clique_name(const Component& component, std::int64_t node);
// The ResourceClaimTemplate of the GPUs that engines share.
Name gpu_claim_template_name(const Component& component);
// The headless Service of a component that starts Ray on one node.
Name ray_service_name(const Component& component);

// The LeaderWorkerSet and PodGroup of one replica, counted from 0.
Name leader_worker_set_name(const Component& component, std::int64_t replica);

// The component's Service, Ingress and VirtualService: component_name(), of later operators with
// '-' for each dot.
Name access_name(const Component& component);

// The component's Deployment; for the debug twin see debug_name().
Name deployment_name(const Component& component);
// The Deployment next to the main one while traffic is redirected for debugging. A Service has the
// same name.
Name debug_name(const Component& component);
// The Service of the pods that are not for debugging.
Name production_service_name(const Component& component);

// The headless Service of a model; `hash` is base_model_hash of its name and must outlive the
// result.
Name model_service_name(std::string_view hash);

// The ServiceAccount that lets pods discover each other; its Role and RoleBinding append "-role"
// and "-binding".
Name discovery_account_name(std::string_view graph);
Name discovery_role_name(std::string_view graph);
Name discovery_binding_name(std::string_view graph);

// The ConfigMap and InferencePool of an endpoint picker.
Name endpoint_picker_config_name(std::string_view graph);
Name inference_pool_name(std::string_view graph);

// The ConfigMap with the script by which a worker waits for its leader, of later operators.
Name wait_script_name(std::string_view graph);

Name profiling_job_name(std::string_view request);
Name profiling_output_name(std::string_view request);
Name checkpoint_job_name(std::string_view checkpoint);

}  // namespace dynamo::render

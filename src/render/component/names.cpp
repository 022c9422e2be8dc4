#include "render/component/names.hpp"

namespace dynamo::render {
namespace {

// The base of host and clique names: the service's key, or the component's own name.
std::string_view short_name(const Component& component) {
  return component.in_graph ? component.service_name : component.object_name;
}

}  // namespace

std::size_t grove_name_length(const Component& component) {
  const std::size_t graph = component.graph_name.size();
  const std::size_t service = component.service_name.size();
  constexpr std::size_t kRoleSuffix = 4;  // "-ldr", "-wkr"
  return component.is_multinode() ? graph + 2 * service + kRoleSuffix : graph + service;
}

Name clique_name(const Component& component, PodRole role) {
  const Name name = Name{}.lowered(short_name(component));
  switch (role) {
    case PodRole::kLeader:
      return name.with("-ldr");
    case PodRole::kWorker:
      return name.with("-wkr");
    case PodRole::kMain:
    case PodRole::kCheckpoint:
      break;
  }
  return name;
}

Name memory_service_clique_name(const Component& component, std::int64_t node) {
  return clique_name(component, PodRole::kMain).with("-gms-").numbered(node);
}

Name engine_clique_name(const Component& component, std::int64_t node) {
  if (!component.is_multinode()) return clique_name(component, PodRole::kMain);
  if (node == 0) return clique_name(component, PodRole::kLeader);
  return clique_name(component, PodRole::kWorker).with("-").numbered(node);
}

Name gpu_claim_template_name(const Component& component) {
  return Name(component.graph_name).with("-").lowered(component.service_name).with("-gpu");
}

Name ray_service_name(const Component& component) {
  return Name(component.graph_name).with("-").lowered(component.service_name).with("-ray");
}

Name leader_worker_set_name(const Component& component, std::int64_t replica) {
  return component_name(component).with("-").numbered(replica);
}

Name access_name(const Component& component) {
  if (!component.has_later_operator()) return component_name(component);
  if (!component.in_graph) return Name{}.hyphenated(component.object_name);
  const Name name =
      Name{}.hyphenated(component.graph_name).with("-").lowered(component.service_name);
  return has_hash_in_name(component) ? name.with("-").with(component.worker_hash) : name;
}

Name debug_name(const Component& component) {
  return component_name(component).with("-d");
}

Name deployment_name(const Component& component) {
  return component.debug_twin ? debug_name(component) : component_name(component);
}

Name production_service_name(const Component& component) {
  return component_name(component).with("-p");
}

Name model_service_name(std::string_view hash) {
  return Name("dynamo-model-").with(hash);
}

Name discovery_account_name(std::string_view graph) {
  return Name(graph).with("-k8s-service-discovery");
}

Name discovery_role_name(std::string_view graph) {
  return discovery_account_name(graph).with("-role");
}

Name discovery_binding_name(std::string_view graph) {
  return discovery_account_name(graph).with("-binding");
}

Name endpoint_picker_config_name(std::string_view graph) {
  return Name(graph).with("-epp-config");
}

Name inference_pool_name(std::string_view graph) {
  return Name(graph).with("-pool");
}

Name wait_script_name(std::string_view graph) {
  return Name(graph).with("-wait-leader-script");
}

Name profiling_job_name(std::string_view request) {
  return Name("profile-").with(request);
}

Name profiling_output_name(std::string_view request) {
  return Name("dgdr-output-").with(request);
}

Name checkpoint_job_name(std::string_view checkpoint) {
  return Name("checkpoint-").with(checkpoint);
}

}  // namespace dynamo::render

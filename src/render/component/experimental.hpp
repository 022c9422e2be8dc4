// Experimental features of a component in v1beta1. Everything is off for other components.
#pragma once

#include <cstdint>
#include <string_view>

#include "render/component/component.hpp"

namespace dynamo::render {

// Where the engines of a GPU memory service, or of a failover, run.
enum class EngineSharing : std::uint8_t {
  kNone,
  kInPod,        // containers of one pod share its GPUs
  kBetweenPods,  // pods of one node share its GPUs, by a clique of Grove for the service
};

EngineSharing memory_service_of(const Component& component);
EngineSharing failover_of(const Component& component);

// The engines that share the GPUs of a node: 1 without shadows.
std::int64_t engines_per_node(const Component& component);

// Whether several pods of a node share its GPUs.
inline bool shares_between_pods(const Component& component) {
  return memory_service_of(component) == EngineSharing::kBetweenPods;
}

// The device class of the GPUs that a service shares.
std::string_view device_class_of(const Component& component);

// The graph's policy for the transfer of caches, which applies to workers; absent for none.
json::Value transfer_policy_of(const Component& component);

// The checkpoint of the component if it enables one, otherwise absent.
json::Value checkpoint_of(const Component& component);
// Whether no pod may start before the checkpoint is ready.
bool waits_for_checkpoint(const Component& component);
// The container that a checkpoint captures.
std::string_view checkpointed_container(const Component& component);

}  // namespace dynamo::render

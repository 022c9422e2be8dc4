// The fields that a component has in both versions.
#pragma once

#include <string_view>

#include "conversion/moves.hpp"

namespace dynamo::conversion {

inline constexpr Move kComponentMoves[] = {
    {"eppConfig"},          {"globalDynamoNamespace"}, {"minAvailable"}, {"modelRef"},
    {"multinode"},          {"providerOverride"},      {"replicas"},     {"runtimeVersionOverride"},
    {"topologyConstraint"},
};

// Members of `gpuMemoryService` and `failover`, except `mode` and v1alpha1's `enabled`.
inline constexpr Move kGpuMemoryServiceMoves[] = {
    {"deviceClassName"}, {"extraClientContainers"}, {"extraClientPods"}};
inline constexpr Move kFailoverMoves[] = {{"numShadows"}};

// A feature that v1alpha1 switches with `enabled`, and v1beta1 by its presence in `experimental`.
struct SwitchedFeature {
  std::string_view name;
  std::span<const Move> moves;
};
inline constexpr SwitchedFeature kSwitchedFeatures[] = {
    {"failover", kFailoverMoves}, {"gpuMemoryService", kGpuMemoryServiceMoves}};

// Modes of the GPU memory service; other texts are the same in both versions.
inline constexpr Move kModes[] = {{"intraPod", "IntraPod"}, {"interPod", "InterPod"}};

// The mode in the other version.
std::string_view convert_mode(std::string_view mode, Version target);

}  // namespace dynamo::conversion

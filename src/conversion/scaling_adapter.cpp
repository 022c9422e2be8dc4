// DynamoGraphDeploymentScalingAdapter: the versions differ in one name.
#include "conversion/kinds.hpp"
#include "conversion/moves.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr Move kAdapterReferenceMoves[] = {{"name"}, {"serviceName", "componentName"}};
constexpr Move kAdapterSpecMoves[] = {{"replicas"}, {"dgdRef", "dgdRef", kAdapterReferenceMoves}};
constexpr Move kAdapterStatusMoves[] = {{"lastScaleTime"}, {"replicas"}, {"selector"}};
constexpr Move kAdapterMoves[] = {{"spec", "spec", kAdapterSpecMoves},
                                  {"status", "status", kAdapterStatusMoves}};

}  // namespace

std::optional<std::string> convert_scaling_adapter_to_beta(ObjectConversion& object) {
  apply_moves(object.arena, object.source, object.target, kAdapterMoves, Version::kV1beta1);
  return std::nullopt;
}

std::optional<std::string> convert_scaling_adapter_to_alpha(ObjectConversion& object) {
  apply_moves(object.arena, object.source, object.target, kAdapterMoves, Version::kV1alpha1);
  return std::nullopt;
}

}  // namespace dynamo::conversion

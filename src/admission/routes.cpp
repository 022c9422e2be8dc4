#include "admission/routes.hpp"

#include <algorithm>
#include <array>

namespace dynamo::admission {
namespace {

using api::Kind;
using api::Version;

// The most frequent first: the search is linear.
constexpr std::array kRoutes = std::to_array<Route>({
    {"/validate-nvidia-com-v1alpha1-dynamographdeployment", Kind::kGraphDeployment,
     Purpose::kValidate},
    {"/mutate-nvidia-com-v1alpha1-dynamographdeployment", Kind::kGraphDeployment,
     Purpose::kDefault},
    {"/validate-nvidia-com-v1alpha1-dynamocomponentdeployment", Kind::kComponentDeployment,
     Purpose::kValidate},
    {"/validate-nvidia-com-v1alpha1-dynamographdeploymentscalingadapter", Kind::kScalingAdapter,
     Purpose::kValidate},
    {"/validate-nvidia-com-v1alpha1-dynamomodel", Kind::kModel, Purpose::kValidate},
    {"/validate-nvidia-com-v1alpha1-dynamographdeploymentrequest", Kind::kGraphDeploymentRequest,
     Purpose::kValidate},
    {"/validate-nvidia-com-v1alpha1-dynamocheckpoint", Kind::kCheckpoint, Purpose::kValidate},
});

constexpr std::array kLaterRoutes = std::to_array<Route>({
    {"/validate/nvidia.com/v1beta1/dynamographdeployments", Kind::kGraphDeployment,
     Purpose::kValidate, Version::kV1beta1},
    {"/mutate/nvidia.com/v1beta1/dynamographdeployments", Kind::kGraphDeployment, Purpose::kDefault,
     Version::kV1beta1},
    {"/validate/nvidia.com/v1beta1/dynamocomponentdeployments", Kind::kComponentDeployment,
     Purpose::kValidate, Version::kV1beta1},
    {"/mutate-nvidia-com-v1beta1-dynamocomponentdeployment", Kind::kComponentDeployment,
     Purpose::kDefault, Version::kV1beta1},
    {"/validate-nvidia-com-v1beta1-dynamographdeploymentrequest", Kind::kGraphDeploymentRequest,
     Purpose::kValidate, Version::kV1beta1},
    {"/mutate-nvidia-com-v1beta1-dynamographdeploymentrequest", Kind::kGraphDeploymentRequest,
     Purpose::kDefault, Version::kV1beta1},
});

const Route* find_route(std::span<const Route> routes, Kind kind, Purpose purpose) {
  const auto at = std::ranges::find_if(
      routes, [&](const Route& route) { return route.kind == kind && route.purpose == purpose; });
  return at == routes.end() ? nullptr : &*at;
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

std::span<const Route> later_routes() {
  return kLaterRoutes;
}

const Route* find_route(std::string_view path) {
  for (const std::span<const Route> table : {routes(), later_routes()}) {
    const auto at = std::ranges::find(table, path, &Route::path);
    if (at != table.end()) return &*at;
  }
  return nullptr;
}

const Route* find_route(Kind kind, Purpose purpose, Version version) {
  const Route* const later =
      version == Version::kV1beta1 ? find_route(kLaterRoutes, kind, purpose) : nullptr;
  return later != nullptr ? later : find_route(kRoutes, kind, purpose);
}

std::optional<Kind> find_kind(std::string_view name) {
  const auto at = std::ranges::find(api::kKinds, name, &api::KindNames::name);
  if (at == api::kKinds.end()) return std::nullopt;
  return at->kind;
}

}  // namespace dynamo::admission

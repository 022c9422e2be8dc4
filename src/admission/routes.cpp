#include "admission/routes.hpp"

#include <algorithm>
#include <array>

namespace dynamo::admission {
namespace {

using api::Kind;

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

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

const Route* find_route(std::string_view path) {
  const auto at = std::ranges::find(kRoutes, path, &Route::path);
  return at == kRoutes.end() ? nullptr : &*at;
}

const Route* find_route(Kind kind, Purpose purpose) {
  const auto at = std::ranges::find_if(
      kRoutes, [&](const Route& route) { return route.kind == kind && route.purpose == purpose; });
  return at == kRoutes.end() ? nullptr : &*at;
}

std::optional<Kind> find_kind(std::string_view name) {
  const auto at = std::ranges::find(api::kKinds, name, &api::KindNames::name);
  if (at == api::kKinds.end()) return std::nullopt;
  return at->kind;
}

}  // namespace dynamo::admission

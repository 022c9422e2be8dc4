// The dispatch table: the kind and purpose of each path.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/kind.hpp"

namespace dynamo::admission {

enum class Purpose : unsigned char { kValidate, kDefault };

struct Route {
  std::string_view path;
  api::Kind kind;
  Purpose purpose;
  api::Version version = api::Version::kV1alpha1;  // of the objects that the API server sends
};

// The routes of the webhook configurations of first operators, all for v1alpha1.
std::span<const Route> routes();

// The routes that those of later operators have in addition, all for v1beta1. They differ from the
// routes for v1alpha1 of the same kinds, which a configuration may still name during an upgrade.
std::span<const Route> later_routes();

// The route of either with exactly that path, or null.
const Route* find_route(std::string_view path);

// The route that validates or defaults objects of the kind and version; null if there are no
// defaults. Kinds without a route for v1beta1 are validated by their route for v1alpha1.
const Route* find_route(api::Kind kind, Purpose purpose,
                        api::Version version = api::Version::kV1alpha1);

// The kind with that name ("DynamoModel") if there are rules for it; nullopt for
// DynamoWorkerMetadata.
std::optional<api::Kind> find_kind(std::string_view name);

}  // namespace dynamo::admission

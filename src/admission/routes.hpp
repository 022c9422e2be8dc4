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
};

std::span<const Route> routes();

// The route with exactly that path, or null.
const Route* find_route(std::string_view path);

// The route that validates or defaults the kind; null if the kind has no defaults.
const Route* find_route(api::Kind kind, Purpose purpose);

// The kind with that name ("DynamoModel") if there are rules for it; nullopt for
// DynamoWorkerMetadata.
std::optional<api::Kind> find_kind(std::string_view name);

}  // namespace dynamo::admission

// The dispatch table: which path judges which kind, and how.
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

// The route of exactly that path, or null.
const Route* find_route(std::string_view path);

// The route that judges, or defaults, the kind; null: kinds that have nothing to default.
const Route* find_route(api::Kind kind, Purpose purpose);

// The kind of that name ("DynamoModel") that there are rules for: DynamoWorkerMetadata is none.
std::optional<api::Kind> find_kind(std::string_view name);

}  // namespace dynamo::admission

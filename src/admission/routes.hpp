// The dispatch table: which path judges which kind, and how.
#pragma once

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

}  // namespace dynamo::admission

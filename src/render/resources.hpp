// The resources of a container: the service's laid over mainContainer's, under Kubernetes' names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/component.hpp"
#include "render/origin.hpp"

namespace dynamo::render {

// One resource with what is asked of it; a value is a text or a number as the user wrote it, or
// absent.
struct Resource {
  std::string_view name = {};
  json::Value limit = {};
  json::Value request = {};
  Origin limit_origin = {};
  Origin request_origin = {};
  // Service and mainContainer both give the limit, or both the request: operators differ in which
  // of the two they take.
  bool given_twice = false;
};

// A claim that a container makes on one of the pod's resource claims.
struct ResourceClaim {
  std::string_view name = {};
  json::Value definition = {};
  Origin origin = {};
};

struct Resources {
  std::span<const Resource> items;  // sorted by name
  std::span<const ResourceClaim> claims;

  // Null when nothing is asked of that resource. Linear.
  const Resource* find(std::string_view name) const;
};

// Entries of the service's resources override mainContainer's of the same name; its claims follow.
// requests.gpu is not passed on: the operator drops it.
Resources main_resources(const Component& component, Arena& arena);

// Of a container that is taken as it is written; `resources` is its field of that name.
Resources plain_resources(json::Value resources, const Origin& origin, Arena& arena);

// How many GPUs the operator counts for a service of several nodes: resources.limits.gpu as a whole
// number, 0 for everything else.
std::int64_t counted_gpus(const Component& component);

}  // namespace dynamo::render

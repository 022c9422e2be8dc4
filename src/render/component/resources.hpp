// The resources of a container: the service's merged over mainContainer's, under their Kubernetes
// names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"

namespace dynamo::render {

// One resource with its limit and request. A value is a text or a number as the user wrote it, or
// absent.
struct Resource {
  std::string_view name = {};
  json::Value limit = {};
  json::Value request = {};
  Origin limit_origin = {};
  Origin request_origin = {};
  // Service and mainContainer both give the limit, or both the request. Operators differ in which
  // of the two they use.
  bool given_twice = false;
};

// A container's claim on one of the pod's resource claims.
struct ResourceClaim {
  std::string_view name = {};
  json::Value definition = {};
  Origin origin = {};
};

struct Resources {
  std::span<const Resource> items;  // sorted by name
  std::span<const ResourceClaim> claims;

  // Null if the container does not use that resource. Linear.
  const Resource* find(std::string_view name) const;
};

// Entries of the service's resources override those of mainContainer with the same name; its claims
// are appended. requests.gpu is not included, because the operator drops it.
Resources main_resources(const Component& component, Arena& arena);

// The resources of a container that is used as written; `resources` is its field with that name.
Resources plain_resources(json::Value resources, const Origin& origin, Arena& arena);

// Whether later operators count devices of that name as GPUs.
bool is_gpu_name(std::string_view name);

// The number of GPUs that the operator counts for a multinode service: resources.limits.gpu as a
// whole number, 0 for everything else. Later operators count the main container's first GPU
// resource; its claims of devices are not counted here.
std::int64_t counted_gpus(const Component& component);

}  // namespace dynamo::render

// Namespace and name of an object of a resource.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "kube/object/object.hpp"

namespace dynamo::kube {

struct ObjectKey {
  std::string namespace_name = {};  // empty: a cluster-scoped resource
  std::string name = {};

  auto operator<=>(const ObjectKey&) const = default;
};

inline ObjectKey key_of(const Object& object) {
  return {.namespace_name = std::string(object.namespace_name()),
          .name = std::string(object.name())};
}

// "NAMESPACE/NAME", or "NAME".
inline std::string to_string(const ObjectKey& key) {
  return key.namespace_name.empty() ? key.name : key.namespace_name + "/" + key.name;
}

struct ObjectKeyHash {
  std::size_t operator()(const ObjectKey& key) const {
    constexpr std::size_t kSpread = 31;
    const std::hash<std::string> hash;
    return hash(key.namespace_name) * kSpread + hash(key.name);
  }
};

}  // namespace dynamo::kube

// Which objects a cluster has, for rules that warn of a name that leads nowhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::api {

// What rules look up. Only the names are known of these, never the content.
enum class LookedUp : unsigned char {
  kGraphDeployment,
  kPersistentVolumeClaim,
  kConfigMap,
  kSecret,
};
inline constexpr std::array<std::string_view, 4> kLookedUpNames{
    "DynamoGraphDeployment", "PersistentVolumeClaim", "ConfigMap", "Secret"};

// The same, as roles and kubectl name the resources.
inline constexpr std::array<std::string_view, 4> kLookedUpResources{
    "dynamographdeployments", "persistentvolumeclaims", "configmaps", "secrets"};

// Is that one of them, or "all"? So --cluster-lookups says what is looked up.
constexpr bool is_lookup(std::string_view word) {
  return word == "all" || std::find(kLookedUpResources.begin(), kLookedUpResources.end(), word) !=
                              kLookedUpResources.end();
}

constexpr std::string_view name(LookedUp kind) {
  return kLookedUpNames[static_cast<std::size_t>(kind)];
}

class ClusterObjects {
 public:
  ClusterObjects() = default;
  virtual ~ClusterObjects() = default;
  ClusterObjects(const ClusterObjects&) = delete;
  ClusterObjects& operator=(const ClusterObjects&) = delete;

  // Is there an object of that name? kUnknown: nobody has looked, or too long ago. An object that
  // was made a moment ago may be missing. Never waits; any thread.
  virtual Fact has(LookedUp kind, std::string_view namespace_name, std::string_view name) const = 0;
};

}  // namespace dynamo::api

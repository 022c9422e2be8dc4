// Which objects exist in a cluster, for rules that warn of dangling references.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::api {

// The kinds that rules look up. Only their names are known, never their content.
enum class LookupKind : unsigned char {
  kGraphDeployment,
  kPersistentVolumeClaim,
  kConfigMap,
  kSecret,
};
inline constexpr std::array<std::string_view, 4> kLookupKindNames{
    "DynamoGraphDeployment", "PersistentVolumeClaim", "ConfigMap", "Secret"};

// The resource names of these kinds, as in roles and kubectl.
inline constexpr std::array<std::string_view, 4> kLookupResources{
    "dynamographdeployments", "persistentvolumeclaims", "configmaps", "secrets"};

// Whether `word` is one of them, or "all": the values of --cluster-lookups.
constexpr bool is_lookup(std::string_view word) {
  return word == "all" || std::find(kLookupResources.begin(), kLookupResources.end(), word) !=
                              kLookupResources.end();
}

constexpr std::string_view name(LookupKind kind) {
  return kLookupKindNames[static_cast<std::size_t>(kind)];
}

class ClusterObjects {
 public:
  ClusterObjects() = default;
  virtual ~ClusterObjects() = default;
  ClusterObjects(const ClusterObjects&) = delete;
  ClusterObjects& operator=(const ClusterObjects&) = delete;

  // Whether an object with that name exists. kUnknown if the data is missing or too old. An object
  // created a moment ago may be missing. Never waits; callable from any thread.
  virtual Fact has(LookupKind kind, std::string_view namespace_name,
                   std::string_view name) const = 0;
};

}  // namespace dynamo::api

// Which objects exist in a cluster, for rules that report dangling references.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::api {

// The kinds that rules look up. Only their names are known, and the domains of bindings.
enum class LookupKind : unsigned char {
  kGraphDeployment,
  kPersistentVolumeClaim,
  kConfigMap,
  kSecret,
  kTopologyBinding,  // of Grove
};
inline constexpr std::array<std::string_view, 5> kLookupKindNames{
    "DynamoGraphDeployment", "PersistentVolumeClaim", "ConfigMap", "Secret",
    "ClusterTopologyBinding"};

// The resource names of these kinds, as in roles and kubectl.
inline constexpr std::array<std::string_view, 5> kLookupResources{
    "dynamographdeployments", "persistentvolumeclaims", "configmaps", "secrets",
    "clustertopologybindings"};

// Whether objects of that kind have no namespace. The word "all" leaves such kinds out, because
// they need a right for the whole cluster.
constexpr bool is_cluster_scoped(LookupKind kind) {
  return kind == LookupKind::kTopologyBinding;
}

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
  // created a moment ago may be missing. `namespace_name` is empty for a cluster-scoped kind. Never
  // waits; callable from any thread.
  virtual Fact has(LookupKind kind, std::string_view namespace_name,
                   std::string_view name) const = 0;

  // The domains of a ClusterTopologyBinding, from the widest to the narrowest; empty if it does not
  // exist or is not known. Valid as long as this object.
  virtual std::span<const std::string> domains_of(std::string_view) const { return {}; }
};

}  // namespace dynamo::api

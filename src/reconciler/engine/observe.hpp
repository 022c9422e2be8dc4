// Reads the caches for the controllers of graphs and components.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "desired/namespace_environment.hpp"
#include "desired/object_diff.hpp"
#include "desired/observed_objects.hpp"
#include "desired/settings.hpp"
#include "kube/cache/store.hpp"
#include "kube/object/object.hpp"
#include "manifests/desired_object.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler {

// A kind of owned objects that a controller creates and watches.
struct OwnedKind {
  std::string_view kind;
  bool can_be_missing = false;  // its definition is installed by others
  bool metadata_only = false;   // only its metadata is compared
  std::string_view label_selector = {};
};

// The watch specs, each with an index by owner. Throws std::logic_error for a kind that is not in
// kManagedKinds.
std::vector<WatchSpec> watched_kinds(std::span<const OwnedKind> kinds);

// Watches registry Secrets, default ServiceAccounts and checkpoints. Whole Secrets are cached,
// because only their data names the registry.
std::vector<WatchSpec> environment_watches();

// Adds the keys of the object's current and previous owners of that kind.
void add_owners(const kube::StoreChange& change, std::string_view kind,
                std::vector<kube::ObjectKey>& keys);
// Adds all keys of the cache in that namespace, for a change that affects all its objects.
void add_namespace(const kube::Store& store, std::string_view namespace_name,
                   std::vector<kube::ObjectKey>& keys);
// Whether a change of a resource of environment_watches() may affect pods of its namespace.
bool can_change_environment(const kube::Resource& of, const kube::StoreChange& change);

// Reads the environment from the caches.
NamespaceEnvironment namespace_environment(const RenderSettings& settings,
                                           std::string_view namespace_name,
                                           const CacheReader& cache);

// Adds to `objects` the cached objects of these kinds that `owner` owns or whose name is in
// `desired`, and records the kinds that are not served.
void observe_objects(std::span<const OwnedKind> kinds, const Owner& owner,
                     const render::DesiredObjects& desired, const CacheReader& cache,
                     ObservedObjects& objects);

// Whether this API error means that the namespace is being deleted, so that nothing can be created
// in it.
bool is_of_ending_namespace(std::string_view error);

}  // namespace dynamo::reconciler

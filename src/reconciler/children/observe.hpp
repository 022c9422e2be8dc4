// What controllers of graphs and components read from the stores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.hpp"
#include "kube/store.hpp"
#include "reconciler/children/child_step.hpp"
#include "reconciler/children/found_environment.hpp"
#include "reconciler/children/seen.hpp"
#include "reconciler/children/settings.hpp"
#include "reconciler/controller.hpp"
#include "render/children/child.hpp"

namespace dynamo::reconciler {

// A kind of children that a controller makes and therefore watches.
struct WatchedKind {
  std::string_view kind;
  bool may_be_missing = false;  // its definition belongs to somebody else
  bool metadata_only = false;   // nothing else of it is compared
  std::string_view label_selector = {};
};

// With an index by owner each. Throws std::logic_error for a kind that is not in kChildKinds.
std::vector<Watched> watched_kinds(std::span<const WatchedKind> kinds);

// Of the namespace: Secrets for registries, accounts that pods fall back to, and checkpoints. Of
// Secrets the whole is kept in memory, as only their data tells which registry they are for.
std::vector<Watched> watched_environment();

// Keys of the owners, of that kind, that an object has or had.
void add_owners(const kube::StoreChange& change, std::string_view kind,
                std::vector<kube::ObjectKey>& keys);
// All keys of the store in that namespace: for what all objects of a namespace depend on.
void add_namespace(const kube::Store& store, std::string_view namespace_name,
                   std::vector<kube::ObjectKey>& keys);
// Whether a change of what watched_environment() names may change pods of its namespace.
bool changes_environment(const kube::Resource& of, const kube::StoreChange& change);

// As it lies in the stores.
FoundEnvironment environment_of(const ChildSettings& settings, std::string_view namespace_name,
                                const Stores& stores);

// Adds the objects of these kinds that the parent owns, and those that stand under the names of
// `children`; and which kinds are not served.
void observe_children(std::span<const WatchedKind> kinds, const Parent& parent,
                      const render::Children& children, const Stores& stores, Seen& seen);

// What the API server said means that nothing can be made in the namespace any more, since it is
// being deleted.
bool is_of_ending_namespace(std::string_view error);

}  // namespace dynamo::reconciler

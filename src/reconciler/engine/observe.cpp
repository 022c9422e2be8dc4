#include "reconciler/engine/observe.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "desired/kinds.hpp"
#include "kube/object/object_meta.hpp"

namespace dynamo::reconciler {
namespace {

const ManagedKind& managed_kind(std::string_view kind) {
  const ManagedKind* const found = find_managed_kind(kind);
  if (found == nullptr) throw std::logic_error("no controller creates a " + std::string(kind));
  return *found;
}

bool is_fallback(const kube::Object* account) {
  if (account == nullptr) return false;
  return account->root()["metadata"]["labels"][kFallbackAccount].string_or_empty() == "true";
}

std::vector<kube::Object> all_of(const CacheReader& cache, const kube::Resource& resource,
                                 std::string_view namespace_name) {
  const kube::Store& store = cache.at(resource);
  std::vector<kube::Object> found;
  for (const kube::ObjectKey& key : store.keys(store.index_by_namespace(), namespace_name)) {
    if (auto object = store.find(key)) found.push_back(*std::move(object));
  }
  return found;
}

std::string fallback_account(const CacheReader& cache, std::string_view namespace_name) {
  const kube::Store& accounts = cache.at(managed_kind("ServiceAccount").resource);
  const kube::Store::Index& marked = accounts.index_by_label(kFallbackAccount);
  for (const kube::ObjectKey& key : accounts.keys(marked, "true")) {
    if (key.namespace_name == namespace_name) return key.name;
  }
  return {};
}

}  // namespace

std::vector<WatchSpec> watched_kinds(std::span<const OwnedKind> kinds) {
  std::vector<WatchSpec> all;
  for (const OwnedKind& each : kinds) {
    WatchSpec spec;
    spec.resource = managed_kind(each.kind).resource;
    spec.options.namespace_index = true;
    spec.options.owner_index = true;
    spec.options.metadata_only = each.metadata_only;
    spec.label_selector = each.label_selector;
    spec.can_be_missing = each.can_be_missing;
    all.push_back(std::move(spec));
  }
  return all;
}

std::vector<WatchSpec> environment_watches() {
  WatchSpec secrets;
  secrets.resource = kube::kSecrets;
  secrets.options.namespace_index = true;
  secrets.field_selector = "type=" + std::string(kRegistrySecret);
  WatchSpec accounts;
  accounts.resource = managed_kind("ServiceAccount").resource;
  accounts.options.label_indexes = {std::string(kFallbackAccount)};
  accounts.options.metadata_only = true;
  WatchSpec checkpoints;
  checkpoints.resource = managed_kind("DynamoCheckpoint").resource;
  checkpoints.options.namespace_index = true;
  checkpoints.can_be_missing = true;
  return {secrets, accounts, checkpoints};
}

void add_owners(const kube::StoreChange& change, std::string_view kind,
                std::vector<kube::ObjectKey>& keys) {
  for (const kube::Object* const object : {change.before, change.now}) {
    if (object == nullptr) continue;
    const std::vector<kube::OwnerReference> owners = kube::owners_of(*object);
    for (const kube::OwnerReference& owner : owners) {
      if (owner.kind != kind || !owner.api_version.starts_with("nvidia.com/")) continue;
      kube::ObjectKey key{.namespace_name = change.key.namespace_name, .name = owner.name};
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    }
  }
}

void add_namespace(const kube::Store& store, std::string_view namespace_name,
                   std::vector<kube::ObjectKey>& keys) {
  for (kube::ObjectKey& key : store.keys(store.index_by_namespace(), namespace_name)) {
    keys.push_back(std::move(key));
  }
}

bool can_change_environment(const kube::Resource& of, const kube::StoreChange& change) {
  if (of.kind == kube::kSecrets.kind || of.kind == "DynamoCheckpoint") return true;
  return of.kind == "ServiceAccount" && is_fallback(change.before) != is_fallback(change.now);
}

NamespaceEnvironment namespace_environment(const RenderSettings& settings,
                                           std::string_view namespace_name,
                                           const CacheReader& cache) {
  return namespace_environment(
      settings.environment,
      {.secrets = all_of(cache, kube::kSecrets, namespace_name),
       .fallback_account = fallback_account(cache, namespace_name),
       .checkpoints = all_of(cache, managed_kind("DynamoCheckpoint").resource, namespace_name)});
}

void observe_objects(std::span<const OwnedKind> kinds, const Owner& owner,
                     const render::DesiredObjects& desired, const CacheReader& cache,
                     ObservedObjects& objects) {
  for (const OwnedKind& each : kinds) {
    const kube::Resource& resource = managed_kind(each.kind).resource;
    if (each.can_be_missing && !cache.serves(resource)) {
      objects.mark_not_served(each.kind);
      continue;
    }
    const kube::Store& store = cache.at(resource);
    for (const kube::ObjectKey& key : store.keys(store.index_by_owner(), owner.uid)) {
      if (key.namespace_name != owner.namespace_name) continue;
      if (const auto object = store.find(key)) objects.add(*object);
    }
    for (const render::DesiredObject& item : desired.items) {
      if (item.kind != each.kind || objects.find(item.kind, item.name) != nullptr) continue;
      const auto object =
          store.find({.namespace_name = std::string(owner.namespace_name), .name = item.name});
      if (object) objects.add(*object);
    }
  }
}

bool is_of_ending_namespace(std::string_view error) {
  return error.find("because it is being terminated") != std::string_view::npos;
}

}  // namespace dynamo::reconciler

#include "reconciler/engine/uncertain_objects.hpp"

#include <string>
#include <utility>

#include "desired/kinds.hpp"
#include "kube/object/packed_object.hpp"

namespace dynamo::reconciler {
namespace {

bool is_of(std::span<const OwnedKind> kinds, std::string_view kind, const CacheReader& cache) {
  for (const OwnedKind& each : kinds) {
    if (each.kind != kind) continue;
    return !each.can_be_missing || cache.serves(find_managed_kind(kind)->resource);
  }
  return false;
}

}  // namespace

void add_if_uncertain(const CacheReader& cache, const kube::Resource& resource, kube::ObjectKey key,
                      std::vector<UncertainObject>& uncertain) {
  const kube::Store& store = cache.at(resource);
  if (store.contains(key) || store.lacks(key)) return;
  uncertain.push_back({.resource = resource, .key = std::move(key)});
}

std::vector<UncertainObject> uncertain_objects(std::span<const OwnedKind> kinds, const Owner& owner,
                                               const render::DesiredObjects& objects,
                                               const CacheReader& cache) {
  std::vector<UncertainObject> uncertain;
  for (const render::DesiredObject& desired : objects.items) {
    if (!desired.wanted || !is_of(kinds, desired.kind, cache)) continue;
    add_if_uncertain(cache, find_managed_kind(desired.kind)->resource,
                     {.namespace_name = std::string(owner.namespace_name), .name = desired.name},
                     uncertain);
  }
  return uncertain;
}

// Reads with a list of one object, which needs only the watch permissions.
aio::Task<kube::Result<std::optional<kube::Object>>> find_on_server(UncertainObject uncertain,
                                                                    ReconcileContext& context) {
  kube::ListOptions options;
  options.field_selector = "metadata.name=" + uncertain.key.name;
  const auto list =
      co_await context.list(uncertain.resource, uncertain.key.namespace_name, options);
  if (!list) {
    kube::Error error = list.error();
    error.text =
        std::string(uncertain.resource.kind) + " " + uncertain.key.name + ": " + error.text;
    co_return error;
  }
  if (list->items.empty()) co_return std::optional<kube::Object>();
  // Items of lists have no kind.
  auto object =
      kube::Object::parse(kube::packed(uncertain.resource, list->items.front().root(), {}));
  if (!object) co_return object.error();
  co_return std::optional<kube::Object>(*std::move(object));
}

aio::Task<std::optional<kube::Error>> read_uncertain(std::vector<UncertainObject> uncertain,
                                                     ReconcileContext& context,
                                                     ObservedObjects& objects) {
  for (const UncertainObject& each : uncertain) {
    if (objects.find(each.resource.kind, each.key.name) != nullptr) continue;
    const auto found = co_await find_on_server(each, context);
    if (!found) co_return found.error();
    if (*found) objects.add(**found);
  }
  co_return std::nullopt;
}

}  // namespace dynamo::reconciler

#include "reconciler/scaling_adapter/reconciler.hpp"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "cluster/resources.hpp"
#include "json/document.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/scaling_adapter/plan.hpp"

namespace dynamo::reconciler::scaling_adapter {
namespace {

using kube::ReconcileResult;

constexpr std::string_view kGraphField = "spec.dgdRef.name";

// The services and their replica counts are unchanged.
bool asks_the_same(const kube::Object& before, const kube::Object& now) {
  const std::int64_t generation = kube::generation_of(now);
  if (generation != 0 && generation == kube::generation_of(before)) return true;
  const json::Value services = now.root()["spec"]["services"];
  const json::Value old_services = before.root()["spec"]["services"];
  if (services.size() != old_services.size()) return false;
  for (const auto [service, written] : services.members()) {
    const json::Value old = old_services[service];
    if (!old.exists()) return false;
    constexpr std::int64_t kReplicasOfNone = 1;
    const auto replicas = written["replicas"].integer().value_or(kReplicasOfNone);
    if (replicas != old["replicas"].integer().value_or(kReplicasOfNone)) return false;
  }
  return true;
}

// All adapters of the graph. Adapters created by hand may lack the graph's label, so it is not
// used.
std::vector<kube::ObjectKey> of_graph(const kube::Store& adapters, std::string_view namespace_name,
                                      std::string_view graph) {
  auto keys = adapters.keys(adapters.index_by_field(kGraphField), graph);
  std::erase_if(keys, [&](const auto& key) { return key.namespace_name != namespace_name; });
  return keys;
}

// The adapter that scales the service instead.
std::optional<kube::Object> rival_of(const kube::Object& adapter, const kube::Store& adapters) {
  for (const kube::ObjectKey& key :
       of_graph(adapters, adapter.namespace_name(), graph_of(adapter))) {
    auto other = adapters.find(key);
    if (other && takes_precedence(*other, adapter)) return other;
  }
  return std::nullopt;
}

// The fields that decide precedence: the generation covers the spec, but not deletion and owners.
bool has_same_rank(const kube::Object& before, const kube::Object& now) {
  const std::int64_t generation = kube::generation_of(now);
  return generation != 0 && generation == kube::generation_of(before) &&
         kube::is_terminating(before) == kube::is_terminating(now) &&
         json::equal(before.root()["metadata"]["ownerReferences"],
                     now.root()["metadata"]["ownerReferences"]);
}

// Adds the adapters whose precedence changes: those that the changed one overrode before, and those
// that it overrides now.
void add_rivals(const kube::StoreChange& change, const kube::Store& adapters,
                std::vector<kube::ObjectKey>& keys) {
  if (change.before != nullptr && change.now != nullptr &&
      has_same_rank(*change.before, *change.now))
    return;
  for (const kube::Object* const changed : {change.before, change.now}) {
    if (changed == nullptr) continue;
    for (kube::ObjectKey& key : of_graph(adapters, change.key.namespace_name, graph_of(*changed))) {
      const auto each = adapters.find(key);
      if (each && are_rivals(*each, *changed)) keys.push_back(std::move(key));
    }
  }
}

std::vector<WatchSpec> all_watches() {
  WatchSpec adapters;
  adapters.resource = kScalingAdapters;
  adapters.options.field_indexes = {std::string(kGraphField)};
  adapters.can_be_missing = true;
  WatchSpec graphs;
  graphs.resource = cluster::kGraphDeployments;
  graphs.can_be_missing = true;
  return {adapters, graphs};
}

}  // namespace

ScalingAdapterReconciler::ScalingAdapterReconciler()
    : Reconciler({.name = kName, .resource = kScalingAdapters, .watches = all_watches()}) {}

void ScalingAdapterReconciler::map_to_requests(const kube::Resource& of,
                                               const kube::StoreChange& change,
                                               const CacheReader& cache,
                                               std::vector<kube::ObjectKey>& keys) const {
  const kube::Store& adapters = cache.at(kScalingAdapters);
  if (of.kind == kScalingAdapters.kind) return add_rivals(change, adapters, keys);
  const bool is_edit = change.before != nullptr && change.now != nullptr;
  if (is_edit && asks_the_same(*change.before, *change.now)) return;
  for (kube::ObjectKey& each : of_graph(adapters, change.key.namespace_name, change.key.name)) {
    keys.push_back(std::move(each));
  }
}

aio::Task<ReconcileResult> ScalingAdapterReconciler::reconcile(kube::ObjectKey key,
                                                               ReconcileContext& context) {
  const auto adapter = context.cache().at(kScalingAdapters).find(key);
  if (!adapter) {
    reported_.erase(key);
    co_return ReconcileResult::done();
  }
  kube::ObjectKey graph_key;
  graph_key.namespace_name = key.namespace_name;
  graph_key.name = graph_of(*adapter);
  const kube::Store& graphs = context.cache().at(cluster::kGraphDeployments);
  auto graph = graphs.find(graph_key);
  if (!graph && !graph_key.name.empty() && !graphs.lacks(graph_key)) {
    // The cache omitted it.
    auto read = co_await context.read(cluster::kGraphDeployments, graph_key);
    if (!read && !read.error().is("NotFound")) co_return context.failed(read.error());
    if (read) graph = *std::move(read);
  }
  const auto rival = rival_of(*adapter, context.cache().at(kScalingAdapters));
  const auto known = reported_.find(key);
  AdapterPlan made =
      plan({.adapter = *adapter,
            .graph = graph ? &*graph : nullptr,
            .rival = rival ? &*rival : nullptr,
            .reported = known == reported_.end() ? std::string_view{} : known->second},
           context.clock().wall());
  if (made.reported.empty()) reported_.erase(key);
  if (made.scales) {
    std::vector<Action> scale(std::make_move_iterator(made.actions.begin()),
                              std::make_move_iterator(made.actions.begin() + 1));
    made.actions.erase(made.actions.begin());
    const auto refused = co_await context.act(std::move(scale));
    if (refused) {
      // A conflict is not reported, because it is requeued at once.
      std::vector<Action> failure;
      if (refused->kind == ReconcileResult::Kind::kRetry) {
        failure.push_back(update_failed(*adapter, refused->error));
      }
      co_await context.act(std::move(failure));
      co_return *refused;
    }
  }
  const auto ended = co_await context.act(std::move(made.actions));
  if (ended) co_return *ended;
  if (!made.reported.empty()) reported_.insert_or_assign(key, made.reported);
  if (!made.missing.empty()) co_return ReconcileResult::retry(made.missing);
  co_return ReconcileResult::done();
}

}  // namespace dynamo::reconciler::scaling_adapter

#include "reconciler/scaling_adapter/controller.hpp"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "cluster/resources.hpp"
#include "kube/object_meta.hpp"
#include "reconciler/scaling_adapter/plan.hpp"
#include "render/well_known.hpp"

namespace dynamo::reconciler::scaling_adapter {
namespace {

using kube::PassResult;

// Of an adapter that changes of its graph do not lead to.
constexpr std::chrono::minutes kLookedAtAgain{5};

// Services and their numbers of replicas are the same.
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

// Made by hand: without the label by which a graph's adapters are found.
bool is_labelled(const kube::Object& adapter) {
  const json::Value labels = adapter.root()["metadata"]["labels"];
  return labels[render::label::kGraph].string_or_empty() == graph_of(adapter);
}

}  // namespace

const kube::Resource& ScalingAdapterController::resource() const {
  return kScalingAdapters;
}

std::vector<Watched> ScalingAdapterController::watches() const {
  Watched adapters;
  adapters.resource = kScalingAdapters;
  adapters.options.label_indexes = {std::string(render::label::kGraph)};
  Watched graphs;
  graphs.resource = cluster::kGraphDeployments;
  return {adapters, graphs};
}

void ScalingAdapterController::keys_for(const kube::Resource& of, const kube::StoreChange& change,
                                        const Stores& stores,
                                        std::vector<kube::ObjectKey>& keys) const {
  if (of.kind != cluster::kGraphDeployments.kind) return;
  const bool is_edit = change.before != nullptr && change.now != nullptr;
  if (is_edit && asks_the_same(*change.before, *change.now)) return;
  const kube::Store& adapters = stores.at(kScalingAdapters);
  const auto& by_graph = adapters.index_by_label(render::label::kGraph);
  for (kube::ObjectKey& each : adapters.keys(by_graph, change.key.name)) {
    if (each.namespace_name == change.key.namespace_name) keys.push_back(std::move(each));
  }
}

aio::Task<PassResult> ScalingAdapterController::reconcile(kube::ObjectKey key, Pass& pass) {
  const auto adapter = pass.stores().at(kScalingAdapters).find(key);
  if (!adapter) co_return PassResult::done();
  kube::ObjectKey graph_key;
  graph_key.namespace_name = key.namespace_name;
  graph_key.name = graph_of(*adapter);
  const auto graph = pass.stores().at(cluster::kGraphDeployments).find(graph_key);
  Plan made = plan({.adapter = *adapter, .graph = graph ? &*graph : nullptr}, pass.clock().wall());
  if (made.scales) {
    std::vector<Action> scale(std::make_move_iterator(made.actions.begin()),
                              std::make_move_iterator(made.actions.begin() + 1));
    made.actions.erase(made.actions.begin());
    const auto refused = co_await pass.act(std::move(scale));
    if (refused) {
      // A conflict is no news: it is looked at again at once.
      std::vector<Action> told;
      if (refused->kind == PassResult::Kind::kRetry)
        told.push_back(update_failed(*adapter, refused->error));
      co_await pass.act(std::move(told));
      co_return *refused;
    }
  }
  const auto ended = co_await pass.act(std::move(made.actions));
  if (ended) co_return *ended;
  if (!made.missing.empty()) co_return PassResult::retry(made.missing);
  if (!is_labelled(*adapter)) co_return PassResult::wait(kLookedAtAgain);
  co_return PassResult::done();
}

}  // namespace dynamo::reconciler::scaling_adapter

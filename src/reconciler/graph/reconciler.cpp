#include "reconciler/graph/reconciler.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "desired/graph_cliques.hpp"
#include "desired/graph_pathway.hpp"
#include "desired/kinds.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/secret.hpp"
#include "reconciler/engine/execute_plan.hpp"
#include "reconciler/engine/uncertain_objects.hpp"
#include "reconciler/graph/plan.hpp"
#include "render/component/claims.hpp"
#include "render/component/labels.hpp"
#include "render/document/arena.hpp"
#include "render/document/well_known.hpp"
#include "tls/ssh_key.hpp"

namespace dynamo::reconciler::graph {
namespace {

using kube::ReconcileResult;

constexpr std::chrono::milliseconds kUntilKnown{5'000};
constexpr kube::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles",
                                       "ClusterRole", false};
constexpr std::string_view kClaimKind = "PersistentVolumeClaim";

std::vector<OwnedKind> kinds_of(const RenderSettings& settings) {
  std::vector<OwnedKind> kinds = {{.kind = kComponents.kind, .can_be_missing = true},
                                  {.kind = kPodCliqueSets.kind, .can_be_missing = true},
                                  {.kind = kAdapterKind, .can_be_missing = true},
                                  {.kind = "ConfigMap", .label_selector = render::label::kGraph},
                                  {.kind = "InferencePool", .can_be_missing = true},
                                  {.kind = kClaimKind, .metadata_only = true},
                                  {.kind = "ServiceAccount", .metadata_only = true},
                                  {.kind = "Role"},
                                  {.kind = "RoleBinding"},
                                  {.kind = "Service"},
                                  {.kind = "Ingress"}};
  const auto& gateway = settings.environment.profile.virtual_service_gateway;
  if (gateway && !gateway->empty()) {
    kinds.push_back({.kind = "VirtualService", .can_be_missing = true});
  }
  return kinds;
}

const kube::Resource& resource_of_managed_kind(std::string_view kind) {
  return find_managed_kind(kind)->resource;
}

// The graph in an adapter's label, including adapters created by hand; "" if none.
std::string_view graph_of(const kube::Object* adapter) {
  if (adapter == nullptr) return {};
  return adapter->root()["metadata"]["labels"][render::label::kGraph].string_or_empty();
}

void add_adapters(const CacheReader& cache, const kube::Object& graph, ObservedObjects& objects) {
  const kube::Store& adapters = cache.at(resource_of_managed_kind(kAdapterKind));
  const kube::Store::Index& by_graph = adapters.index_by_label(render::label::kGraph);
  for (const kube::ObjectKey& key : adapters.keys(by_graph, graph.name())) {
    if (key.namespace_name != graph.namespace_name()) continue;
    if (const auto adapter = adapters.find(key)) objects.add(*adapter);
  }
}

// Claims that users must create.
void add_claims(const CacheReader& cache, const kube::Object& graph, ObservedObjects& objects) {
  const kube::Store& claims = cache.at(resource_of_managed_kind(kClaimKind));
  render::Arena arena;
  const api::GraphDeployment view{graph.root()};
  for (const render::Claim& claim : render::graph_claims(view, arena)) {
    const auto found = claims.find(
        {.namespace_name = std::string(graph.namespace_name()), .name = std::string(claim.name)});
    if (found) objects.add(*found);
  }
}

// Grove creates them with the labels of the graph, which users may override: scaling groups, and
// cliques of services on one node, are found by name.
void add_cliques(const CacheReader& cache, const kube::Object& graph, ObservedState& observed) {
  const std::string space(graph.namespace_name());
  const auto add = [&](const kube::Resource& resource, const kube::ObjectKey& key, bool scales) {
    const auto clique = cache.at(resource).find(key);
    if (!clique) return;
    observed.objects.add(*clique);
    if (!scales || kube::is_terminating(*clique)) return;
    const auto replicas = clique->root()["spec"]["replicas"].integer();
    if (!replicas) return;
    observed.scales.push_back({.resource = resource,
                               .name = key.name,
                               .uid = std::string(clique->uid()),
                               .replicas = *replicas});
  };
  if (cache.serves(kPodCliques)) {
    const kube::Store& cliques = cache.at(kPodCliques);
    const kube::Store::Index& by_graph = cliques.index_by_label(render::label::kGraph);
    for (const kube::ObjectKey& key : cliques.keys(by_graph, graph.name())) {
      if (key.namespace_name == space) add(kPodCliques, key, false);
    }
  }
  const json::Value services = graph.root()["spec"]["services"];
  for (const json::Member service : services.members()) {
    const kube::Resource& resource = clique_resource_of(service.value);
    if (!cache.serves(resource)) continue;
    add(resource, {.namespace_name = space, .name = clique_name(graph.name(), service.name)}, true);
  }
}

// Required objects, created by the graph or not, whose existence the caches do not show.
std::vector<UncertainObject> all_uncertain_objects(const ObservedState& observed,
                                                   const render::DesiredObjects& objects,
                                                   std::span<const OwnedKind> kinds,
                                                   const CacheReader& cache) {
  const kube::Object& graph = observed.object;
  const std::string space(graph.namespace_name());
  const Owner owner{
      .resource = kGraphs, .namespace_name = space, .name = graph.name(), .uid = graph.uid()};
  std::vector<UncertainObject> uncertain = uncertain_objects(kinds, owner, objects, cache);
  render::Arena arena;
  for (const render::Claim& claim :
       render::graph_claims(api::GraphDeployment{graph.root()}, arena)) {
    if (claim.name.empty()) continue;
    add_if_uncertain(cache, resource_of_managed_kind(kClaimKind),
                     {.namespace_name = space, .name = std::string(claim.name)}, uncertain);
  }
  const render::RenderEnvironment& environment = observed.environment;
  if (environment.namespace_restricted) return uncertain;
  for (const std::string& role :
       {environment.planner_cluster_role, environment.endpoint_picker_cluster_role}) {
    if (role.empty()) continue;
    add_if_uncertain(cache, kClusterRoles, {.namespace_name = "", .name = role}, uncertain);
  }
  return uncertain;
}

void add_cluster_role(const CacheReader& cache, const std::string& name, ObservedObjects& objects) {
  if (name.empty()) return;
  const auto role = cache.at(kClusterRoles).find({.namespace_name = "", .name = name});
  if (role) objects.add(*role);
}

ObservedState observe(const kube::Object& object, const NamespaceEnvironment& found,
                      const render::DesiredObjects& objects, std::vector<std::string> errors,
                      std::span<const OwnedKind> kinds, ReconcileContext& context) {
  ObservedState observed;
  observed.object = object;
  observed.errors = std::move(errors);
  observed.environment = found.environment;
  observed.now = context.clock().wall();
  const Owner owner{.resource = kGraphs,
                    .namespace_name = object.namespace_name(),
                    .name = object.name(),
                    .uid = object.uid()};
  const CacheReader& cache = context.cache();
  observe_objects(kinds, owner, objects, cache, observed.objects);
  if (found.environment.profile.pathway == render::Pathway::kGrove) {
    add_cliques(cache, object, observed);
  }
  add_adapters(cache, object, observed.objects);
  add_claims(cache, object, observed.objects);
  for (const kube::Object& checkpoint : found.documents) observed.objects.add(checkpoint);
  if (!found.environment.namespace_restricted) {
    add_cluster_role(cache, found.environment.planner_cluster_role, observed.objects);
    add_cluster_role(cache, found.environment.endpoint_picker_cluster_role, observed.objects);
  }
  return observed;
}

// Desired ConfigMaps that the cache does not show, since it contains only those of graphs.
std::vector<kube::ObjectKey> unseen_config_maps(const render::DesiredObjects& desired,
                                                std::string_view namespace_name,
                                                const ObservedObjects& observed) {
  std::vector<kube::ObjectKey> keys;
  for (const render::DesiredObject& item : desired.items) {
    if (item.kind != "ConfigMap" || !item.wanted) continue;
    if (observed.find(item.kind, item.name) != nullptr) continue;
    keys.push_back({.namespace_name = std::string(namespace_name), .name = item.name});
  }
  return keys;
}

kube::ObjectKey key_in(std::string_view namespace_name, std::string_view name) {
  return {.namespace_name = std::string(namespace_name), .name = std::string(name)};
}

kube::Result<kube::Object> generated_mpi_secret(const std::string& name,
                                                const std::string& namespace_name) {
  const auto keys = tls::generate_ssh_key_pair("mpi@" + namespace_name);
  if (keys) return mpi_secret_of(name, keys->private_key, keys->public_key);
  kube::Error error;
  error.failure = kube::FailureKind::kConfig;
  error.text = "Secret " + name + ": " + keys.error().text;
  return error;
}

bool owns_any(const kube::Object& graph, const kube::Resource& resource, const CacheReader& cache) {
  if (!cache.serves(resource)) return false;
  const kube::Store& store = cache.at(resource);
  for (const kube::ObjectKey& key : store.keys(store.index_by_owner(), graph.uid())) {
    if (key.namespace_name == graph.namespace_name()) return true;
  }
  return false;
}

// Cliques and scaling groups, without the pods that they describe.
WatchSpec watch_of_cliques(const kube::Resource& resource) {
  WatchSpec spec;
  spec.resource = resource;
  spec.options.label_indexes = {std::string(render::label::kGraph)};
  spec.options.left_out = {"spec.podSpec"};
  spec.can_be_missing = true;
  return spec;
}

// Without the right to list queues, each reconcile reads its own.
WatchSpec watch_of_queues() {
  WatchSpec spec;
  spec.resource = kQueues;
  spec.options.metadata_only = true;
  spec.can_be_missing = true;
  spec.is_optional = true;
  return spec;
}

void add_graphs_of_queue(const kube::Store& graphs, std::string_view queue,
                         std::vector<kube::ObjectKey>& keys) {
  for (const kube::ObjectKey& key : graphs.keys()) {
    const auto graph = graphs.find(key);
    if (!graph) continue;
    const json::Value metadata = graph->root()["metadata"];
    if (render::queue_of(metadata["annotations"]) == queue) keys.push_back(key);
  }
}

bool is_of_cliques(const kube::Resource& resource) {
  return resource.kind == kPodCliques.kind || resource.kind == kScalingGroups.kind;
}

// The graph in the label, and the one with the name of the set that owns the object.
void add_graphs_of_clique(const kube::StoreChange& change, std::vector<kube::ObjectKey>& keys) {
  const kube::Object& clique = change.now != nullptr ? *change.now : *change.before;
  const auto add = [&](std::string_view graph) {
    kube::ObjectKey key{.namespace_name = change.key.namespace_name, .name = std::string(graph)};
    if (!graph.empty() && std::ranges::find(keys, key) == keys.end()) {
      keys.push_back(std::move(key));
    }
  };
  const json::Value labels = clique.root()["metadata"]["labels"];
  add(labels[render::label::kGraph].string_or_empty());
  const auto owner = kube::controller_of(clique);
  if (owner && owner->kind == kPodCliqueSets.kind) add(owner->name);
}

// When a foreign object is deleted, a desired object may have been waiting for its name. Adds the
// graphs whose objects may have that name: their own, or one that begins with it and a dash.
void add_who_waits(const kube::ObjectKey& gone, const kube::Store& graphs,
                   std::vector<kube::ObjectKey>& keys) {
  for (std::size_t end = gone.name.find('-');; end = gone.name.find('-', end + 1)) {
    kube::ObjectKey key = gone;
    key.name.resize(std::min(end, key.name.size()));
    const bool is_whole = key.name.size() == gone.name.size();
    if (graphs.contains(key)) keys.push_back(std::move(key));
    if (is_whole) return;
  }
}

std::vector<WatchSpec> all_watches(const RenderSettings& settings) {
  WatchSpec graphs;
  graphs.resource = kGraphs;
  graphs.options.namespace_index = true;
  graphs.can_be_missing = true;
  std::vector<WatchSpec> all = {graphs};
  for (WatchSpec& each : watched_kinds(kinds_of(settings))) {
    if (each.resource.kind == kAdapterKind) {
      each.options.label_indexes = {std::string(render::label::kGraph)};
    }
    all.push_back(std::move(each));
  }
  all.push_back(watch_of_cliques(kPodCliques));
  all.push_back(watch_of_cliques(kScalingGroups));
  for (WatchSpec& each : environment_watches()) all.push_back(std::move(each));
  if (!settings.environment.namespace_restricted) {
    WatchSpec roles;
    roles.resource = kClusterRoles;
    roles.options.metadata_only = true;
    all.push_back(std::move(roles));
    all.push_back(watch_of_queues());
  }
  return all;
}

}  // namespace

GraphReconciler::GraphReconciler(RenderSettings settings, const ClusterState& cluster_state)
    : Reconciler(
          {.name = kName,
           .resource = kGraphs,
           .watches = all_watches(settings),
           // The evaluation depends on it, and the served APIs decide the pathway of a graph.
           .depends_on_policy = true}),
      settings_(std::move(settings)),
      kinds_(kinds_of(settings_)),
      cluster_state_(cluster_state) {}

bool GraphReconciler::is_role_of_ours(std::string_view name) const {
  return name == settings_.environment.planner_cluster_role ||
         name == settings_.environment.endpoint_picker_cluster_role;
}

void GraphReconciler::map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                                      const CacheReader& cache,
                                      std::vector<kube::ObjectKey>& keys) const {
  if (of.kind == kGraphs.kind) return;
  const kube::Store& graphs = cache.at(kGraphs);
  const bool is_new_or_deleted = change.before == nullptr || change.now == nullptr;
  if (of.kind == kClusterRoles.kind) {
    if (is_new_or_deleted && is_role_of_ours(change.key.name)) keys = graphs.keys();
    return;
  }
  if (of.kind == kQueues.kind) {
    if (is_new_or_deleted) add_graphs_of_queue(graphs, change.key.name, keys);
    return;
  }
  if (is_of_cliques(of)) return add_graphs_of_clique(change, keys);
  add_owners(change, kGraphs.kind, keys);
  if (of.kind == kAdapterKind) {
    const std::string_view graph = graph_of(change.now != nullptr ? change.now : change.before);
    if (keys.empty() && !graph.empty()) keys.push_back(key_in(change.key.namespace_name, graph));
    return;
  }
  if (keys.empty() && change.now == nullptr) add_who_waits(change.key, graphs, keys);
  const bool is_new_claim = of.kind == kClaimKind && change.before == nullptr && keys.empty();
  if (!is_new_claim && !can_change_environment(of, change)) return;
  add_namespace(graphs, change.key.namespace_name, keys);
}

aio::Task<std::optional<kube::Error>> GraphReconciler::read_missing(
    ObservedState& observed, std::vector<kube::ObjectKey> config_maps, NamespaceEnvironment& found,
    ReconcileContext& context) {
  for (const kube::ObjectKey& key : config_maps) {
    const auto read = co_await context.read(kube::kConfigMaps, key);
    if (read) observed.objects.add(*read);
    if (!read && !read.error().is("NotFound")) co_return read.error();
  }
  const auto unread = co_await read_queue(observed, context);
  if (unread) co_return unread;
  co_return co_await read_mpi_secret(observed, found, context);
}

aio::Task<std::optional<kube::Error>> GraphReconciler::read_queue(ObservedState& observed,
                                                                  ReconcileContext& context) {
  const render::Profile& profile = observed.environment.profile;
  const bool uses_queue =
      profile.pathway == render::Pathway::kGrove && profile.kai_scheduler == api::Fact::kYes;
  if (!uses_queue) co_return std::nullopt;
  const json::Value metadata = observed.object.root()["metadata"];
  const std::string name(render::queue_of(metadata["annotations"]));
  // Rights in one namespace do not cover queues, which have none.
  const bool is_restricted = settings_.environment.namespace_restricted;
  if (!is_restricted && context.cache().at(kQueues).find(key_in("", name))) co_return std::nullopt;
  const auto queue = co_await context.read(kQueues, key_in("", name));
  if (queue) co_return std::nullopt;
  const bool is_unreadable = is_restricted && queue.error().is("Forbidden");
  if (is_unreadable) co_return std::nullopt;
  if (!queue.error().is("NotFound")) co_return queue.error();
  observed.missing_queue = name;
  co_return std::nullopt;
}

aio::Task<std::optional<kube::Error>> GraphReconciler::read_mpi_secret(ObservedState& observed,
                                                                       NamespaceEnvironment& found,
                                                                       ReconcileContext& context) {
  const render::Profile& profile = observed.environment.profile;
  const std::string space(observed.object.namespace_name());
  const std::string name = profile.mpi_secret_name.value_or("");
  const api::GraphDeployment graph{observed.object.root()};
  if (name.empty() || !render::needs_mpi_secret(graph, space, profile)) co_return std::nullopt;
  const auto here = co_await context.read(kube::kSecrets, key_in(space, name));
  if (here) {
    observed.objects.add(*here);
    co_return std::nullopt;
  }
  if (!here.error().is("NotFound")) co_return here.error();
  const MpiSecretCopies& copies = settings_.mpi_secret_copies;
  if (copies.includes(space)) {
    const auto source =
        co_await context.read(kube::kSecrets, key_in(copies.source_namespace, name));
    if (source) {
      found.documents.push_back(*source);
      observed.environment.mpi_secret_source = found.documents.back().root();
      co_return std::nullopt;
    }
    if (!source.error().is("NotFound")) co_return source.error();
    if (!copies.creates_source) co_return std::nullopt;
    if (copies.source_namespace != space) {
      observed.new_mpi_source_namespace = copies.source_namespace;
    }
  }
  const bool is_shared = !observed.new_mpi_source_namespace.empty();
  auto generated =
      context.is_dry_run()
          ? kube::Result<kube::Object>(masked_mpi_secret(name))
          : generated_mpi_secret(name, is_shared ? observed.new_mpi_source_namespace : space);
  if (!generated) co_return generated.error();
  found.documents.push_back(*std::move(generated));
  observed.environment.mpi_secret_source = found.documents.back().root();
  observed.environment.mpi_secret_is_generated = !is_shared;
  co_return std::nullopt;
}

aio::Task<ReconcileResult> GraphReconciler::reconcile(kube::ObjectKey key,
                                                      ReconcileContext& context) {
  const auto object = context.cache().at(kGraphs).find(key);
  if (!object) co_return ReconcileResult::done();
  // The deletion of a graph requires no reads and no cluster facts.
  const bool is_terminating = kube::is_terminating(*object);
  const api::ClusterFacts& facts = cluster_state_.facts.latest();
  if (!is_terminating && !is_pathway_known(facts)) co_return ReconcileResult::requeue(kUntilKnown);
  NamespaceEnvironment found =
      namespace_environment(settings_, key.namespace_name, context.cache());
  const api::GraphDeployment view{object->root()};
  const GraphPathway way =
      pathway_of(facts, view,
                 {.has_components = owns_any(*object, kComponents, context.cache()),
                  .has_clique_set = owns_any(*object, kPodCliqueSets, context.cache())});
  found.environment.profile.pathway = way.pathway;
  if (way.pathway == render::Pathway::kGrove) {
    const bool is_known = facts.kai_scheduler_served != api::Fact::kUnknown;
    if (!is_terminating && !is_known) co_return ReconcileResult::requeue(kUntilKnown);
    found.environment.profile.kai_scheduler = facts.kai_scheduler_served;
  }
  const render::DesiredObjects objects =
      render::desired_objects_of(view, key.namespace_name, found.environment);
  ObservedState observed = observe(
      *object, found, objects,
      validator_.errors_of(api::Kind::kGraphDeployment, *object, cluster_state_), kinds_, context);
  observed.avoids_grove = way.avoids_grove;
  observed.leaves_grove = way.leaves_grove;
  if (!is_terminating && !way.leaves_grove) {
    auto unread = co_await read_missing(
        observed, unseen_config_maps(objects, key.namespace_name, observed.objects), found,
        context);
    if (!unread) {
      unread =
          co_await read_uncertain(all_uncertain_objects(observed, objects, kinds_, context.cache()),
                                  context, observed.objects);
    }
    if (unread) {
      Plan unread_plan = plan_after_read_failure(observed, unread->text);
      co_await context.act(std::move(unread_plan.actions));
      co_return context.failed(*unread);
    }
  }
  co_return co_await execute_plan(plan(observed), context, [&observed](const std::string& why) {
    return plan_after_failure(observed, why);
  });
}

std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state) {
  return std::make_unique<GraphReconciler>(std::move(settings), cluster_state);
}

}  // namespace dynamo::reconciler::graph

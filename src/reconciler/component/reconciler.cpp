#include "reconciler/component/reconciler.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "aio/time_limit.hpp"
#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "api/kinds/service.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/kinds.hpp"
#include "json/document.hpp"
#include "kube/cache/store.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/component/references.hpp"
#include "reconciler/component/refusals.hpp"
#include "reconciler/component/workload.hpp"
#include "reconciler/engine/execute_plan.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/engine/uncertain_objects.hpp"

namespace dynamo::reconciler::component {
namespace {

using kube::ReconcileResult;

// For one call and its processing.
constexpr std::chrono::milliseconds kForEtcd{6'000};
constexpr std::chrono::milliseconds kUntilKnown{5'000};
// Pods that are not ready after this time may lack a referenced object.
constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::seconds kBetweenLooks{60};
// For all references of a component.
constexpr std::chrono::milliseconds kForLookUp{5'000};

constexpr std::string_view kClaimKind = "PersistentVolumeClaim";
constexpr std::string_view kAccountKind = "ServiceAccount";

std::vector<OwnedKind> kinds_of(const RenderSettings& settings) {
  std::vector<OwnedKind> kinds = {{.kind = "Deployment"},
                                  {.kind = "Service"},
                                  {.kind = "Ingress"},
                                  {.kind = "LeaderWorkerSet", .can_be_missing = true},
                                  {.kind = "PodGroup", .can_be_missing = true},
                                  {.kind = kClaimKind, .metadata_only = true}};
  const auto& gateway = settings.environment.profile.virtual_service_gateway;
  if (gateway && !gateway->empty()) {
    kinds.push_back({.kind = "VirtualService", .can_be_missing = true});
  }
  return kinds;
}

// If so, a deletion removes the component's keys, and graphs are watched for their claims.
bool uses_etcd(const RenderSettings& settings) {
  return settings.environment.profile.discovery == render::DiscoveryBackend::kEtcd &&
         !settings.etcd_url.empty();
}

// When a foreign object is deleted, a desired object may have been waiting for its name. Adds the
// component of that name, or of the name without the suffix of some owned objects.
void add_who_waits(const kube::ObjectKey& gone, const CacheReader& cache,
                   std::vector<kube::ObjectKey>& keys) {
  const kube::Store& components = cache.at(kComponents);
  for (const std::string_view end : {"", "-p", "-d"}) {
    if (!gone.name.ends_with(end)) continue;
    kube::ObjectKey key = gone;
    key.name.resize(key.name.size() - end.size());
    if (components.contains(key)) keys.push_back(std::move(key));
  }
}

// A component's keys in etcd are below dynamoNamespace and serviceName. Any user can set these two
// fields to the names of another tenant.
constexpr const char* kClaimedField = "spec.dynamoNamespace";

// The namespace of all services that set globalDynamoNamespace.
constexpr std::string_view kGlobalNamespace = "dynamo";

// A slash in a name would reach keys of other names.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos;
}

json::Value owning_graph(const kube::Object& component) {
  const json::Value owners = component.root()["metadata"]["ownerReferences"];
  for (const json::Value owner : owners.elements()) {
    if (owner["kind"].string_or_empty() == kGraphs.kind) return owner;
  }
  return {};
}

bool is_global(const kube::Object& component) {
  return api::Service{component.root()["spec"]}.is_in_global_dynamo_namespace();
}

// DYN_NAMESPACE of the component's pods, unless they use the global namespace.
std::string namespace_of_graph(const kube::Object& component) {
  return std::string(component.namespace_name()) + '-' +
         std::string(owning_graph(component)["name"].string_or_empty());
}

// Pods that no graph or component of the cluster describes may use any other namespace. A component
// without a graph gets the names of a former or later graph of its own namespace.
bool is_own_namespace(std::string_view dynamo_namespace, const kube::Object& component) {
  if (is_global(component)) return dynamo_namespace == kGlobalNamespace;
  const std::string of_graph = namespace_of_graph(component);
  return owning_graph(component).is_object() ? dynamo_namespace == of_graph
                                             : dynamo_namespace.starts_with(of_graph);
}

// Whether others use the keys below the Dynamo namespace of `own`. The engine or DYN_COMPONENT
// names a component there, so outside the graph of `own` any user of the namespace may use any
// name.
class Claims {
 public:
  Claims(const kube::Object& own, const kube::Store& components, const kube::Store& graphs)
      : own_(own), owner_(owning_graph(own)), components_(components), graphs_(graphs) {}

  bool any() const {
    return is_used_by_graph() || is_used_by_component() || is_used_by_standalone_pods() ||
           (dynamo_namespace_ == kGlobalNamespace && is_global_used());
  }

 private:
  // A graph's services run in "NAMESPACE-GRAPH". Both parts may contain dashes, so each dash may be
  // the separator.
  bool is_used_by_graph() const {
    for (std::size_t dash = dynamo_namespace_.find('-'); dash != std::string_view::npos;
         dash = dynamo_namespace_.find('-', dash + 1)) {
      const kube::ObjectKey key{.namespace_name = std::string(dynamo_namespace_.substr(0, dash)),
                                .name = std::string(dynamo_namespace_.substr(dash + 1))};
      if (graphs_.contains(key) && !is_owner(key)) return true;
    }
    return false;
  }

  bool is_used_by_component() const {
    return std::ranges::any_of(
        components_.keys(components_.index_by_field(kClaimedField), dynamo_namespace_),
        [this](const kube::ObjectKey& key) {
          const auto other = other_component(key);
          return other && is_conflict(*other);
        });
  }

  // Pods of components without a graph run in "NAMESPACE-".
  bool is_used_by_standalone_pods() const {
    if (!dynamo_namespace_.ends_with('-')) return false;
    const std::string_view space = dynamo_namespace_.substr(0, dynamo_namespace_.size() - 1);
    return std::ranges::any_of(components_.keys(components_.index_by_namespace(), space),
                               [this](const kube::ObjectKey& key) {
                                 const auto other = other_component(key);
                                 return other && !owning_graph(*other).is_object();
                               });
  }

  bool is_global_used() const {
    const auto has_global_service = [this](const kube::ObjectKey& key) {
      if (is_owner(key)) return false;
      const auto graph = graphs_.find(key);
      if (!graph) return false;
      for (const auto [name, service] : graph->root()["spec"]["services"].members()) {
        if (api::Service{service}.is_in_global_dynamo_namespace()) return true;
      }
      return false;
    };
    const auto is_global_component = [this](const kube::ObjectKey& key) {
      const auto other = other_component(key);
      return other && is_global(*other) && is_conflict(*other);
    };
    return std::ranges::any_of(graphs_.keys(), has_global_service) ||
           std::ranges::any_of(components_.keys(), is_global_component);
  }

  // A user may write any owner, so only a graph of the component's own namespace counts as such.
  bool is_owner(const kube::ObjectKey& key) const {
    const std::string_view uid = owner_["uid"].string_or_empty();
    return !uid.empty() && key.namespace_name == own_.namespace_name() &&
           graphs_.uid_of(key) == uid;
  }

  std::optional<kube::Object> other_component(const kube::ObjectKey& key) const {
    auto other = components_.find(key);
    if (other && other->uid() == own_.uid()) other.reset();
    return other;
  }

  // Components of one graph have different names, and so different keys. componentType is
  // DYN_COMPONENT.
  bool is_conflict(const kube::Object& other) const {
    const std::string_view uid = owner_["uid"].string_or_empty();
    const bool is_of_same_graph = !uid.empty() && other.namespace_name() == own_.namespace_name() &&
                                  owning_graph(other)["uid"].string_or_empty() == uid;
    if (!is_of_same_graph) return true;
    const std::string_view name = own_.root()["spec"]["serviceName"].string_or_empty();
    const json::Value spec = other.root()["spec"];
    return spec["serviceName"].string_or_empty() == name ||
           spec["componentType"].string_or_empty() == name;
  }

  const kube::Object& own_;
  const json::Value owner_;
  const std::string_view dynamo_namespace_ =
      own_.root()["spec"]["dynamoNamespace"].string_or_empty();
  const kube::Store& components_;
  const kube::Store& graphs_;
};

// Why the keys of `component` must stay in etcd, one line; empty: only this component uses them.
// The text names no object of another namespace. `cache` must have components, indexed by
// kClaimedField and by namespace, and graphs. `is_restricted`: the caches cover one namespace, so
// claims in other namespaces are unknown.
std::string reason_to_keep_keys(const kube::Object& component, const CacheReader& cache,
                                bool is_restricted) {
  const json::Value spec = component.root()["spec"];
  const std::string_view dynamo_namespace = spec["dynamoNamespace"].string_or_empty();
  if (!is_plain(dynamo_namespace) || !is_plain(spec["serviceName"].string_or_empty())) {
    return "dynamoNamespace and serviceName must be names without a slash";
  }
  if (is_restricted && dynamo_namespace != namespace_of_graph(component)) {
    return "dynamoNamespace must be that of the component's graph where one namespace is served: "
           "claims of other namespaces are not known";
  }
  if (!is_own_namespace(dynamo_namespace, component)) {
    return "dynamoNamespace must be the one that the component's pods use: NAMESPACE-GRAPH, or "
           "dynamo with globalDynamoNamespace";
  }
  const kube::Store& components = cache.at(kComponents);
  const kube::Store& graphs = cache.at(kGraphs);
  if (!components.is_complete() || !graphs.is_complete()) {
    return "not all components and graphs of the cluster are known";
  }
  if (Claims(component, components, graphs).any()) {
    return "another component or graph may use them: it has the same dynamoNamespace, or is of the "
           "same graph and has this serviceName or componentType";
  }
  return {};
}

ObservedState observe(const kube::Object& object, NamespaceEnvironment& found,
                      std::span<const OwnedKind> kinds, const RenderSettings& settings,
                      std::vector<std::string> errors, ReconcileContext& context,
                      std::vector<UncertainObject>& uncertain) {
  ObservedState observed;
  observed.object = object;
  observed.errors = std::move(errors);
  observed.environment = found.environment;
  observed.etcd_url = settings.etcd_url;
  if (kube::is_terminating(object) && uses_etcd(settings)) {
    observed.keep_keys_reason =
        reason_to_keep_keys(object, context.cache(), settings.environment.namespace_restricted);
  }
  observed.now = context.clock().wall();
  const Owner owner{.resource = kComponents,
                    .namespace_name = object.namespace_name(),
                    .name = object.name(),
                    .uid = object.uid()};
  // Nothing is created for an object that is being deleted or refused.
  if (kube::is_terminating(object) || !observed.errors.empty()) return observed;
  const render::DesiredObjects objects = render::desired_objects_of(
      api::ComponentDeployment{object.root()}, object.namespace_name(), observed.environment);
  observe_objects(kinds, owner, objects, context.cache(), observed.objects);
  uncertain = uncertain_objects(kinds, owner, objects, context.cache());
  return observed;
}

// Pods exist and are not all ready, or pods are refused. The status of a group does not show a
// refusal, so every late group counts.
bool pods_wait(const ObservedState& observed) {
  if (!late_groups(observed.objects, observed.object.uid()).empty()) return true;
  for (const auto& [name, deployment] : observed.objects.all("Deployment")) {
    if (!kube::is_owned_by(deployment, observed.object.uid())) continue;
    const json::Value status = deployment.root()["status"];
    const std::int64_t made = status["replicas"].integer().value_or(0);
    if (status["availableReplicas"].integer().value_or(0) < made) return true;
    if (kube::Conditions::read(status["conditions"]).is_true("ReplicaFailure")) return true;
  }
  return false;
}

// References of its spec and of the flags.
std::vector<Reference> all_references(const ObservedState& observed) {
  std::vector<Reference> all = references_of(api::ComponentDeployment{observed.object.root()});
  for (Reference& each :
       references_of_flags(observed.objects, observed.object.uid(), observed.environment.profile)) {
    all.push_back(std::move(each));
  }
  return all;
}

// The status reports a missing object or refused pods.
bool reports_problem(const kube::Object& component) {
  const json::Value conditions = component.root()["status"]["conditions"];
  for (const json::Value condition : conditions.elements()) {
    if (condition["reason"].string_or_empty() == kObjectMissing) return true;
    const std::string_view message = condition["message"].string_or_empty();
    if (message.find(kAreRefused) != std::string_view::npos) return true;
  }
  return false;
}

std::vector<WatchSpec> all_watches(const RenderSettings& settings) {
  WatchSpec components;
  components.resource = kComponents;
  components.options.namespace_index = true;
  components.can_be_missing = true;
  std::vector<WatchSpec> all;
  if (uses_etcd(settings)) {
    components.options.field_indexes = {kClaimedField};
    WatchSpec graphs;
    graphs.resource = kGraphs;
    graphs.can_be_missing = true;
    all.push_back(std::move(graphs));
  }
  all.push_back(std::move(components));
  for (WatchSpec& each : watched_kinds(kinds_of(settings))) all.push_back(std::move(each));
  for (WatchSpec& each : environment_watches()) all.push_back(std::move(each));
  return all;
}

}  // namespace

ComponentReconciler::ComponentReconciler(RenderSettings settings, const ClusterState& cluster_state,
                                         std::shared_ptr<EtcdGateway> etcd)
    : Reconciler(
          {.name = kName,
           .resource = kComponents,
           .watches = all_watches(settings),
           .external_call_budget = kForEtcd,
           // The evaluation depends on it, and the served APIs decide how pod groups are created.
           .depends_on_policy = true}),
      settings_(std::move(settings)),
      cluster_state_(cluster_state),
      etcd_(std::move(etcd)),
      kinds_(kinds_of(settings_)) {}

void ComponentReconciler::map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                                          const CacheReader& cache,
                                          std::vector<kube::ObjectKey>& keys) const {
  if (of.kind == kComponents.kind || of.kind == kGraphs.kind) return;
  add_owners(change, kComponents.kind, keys);
  if (keys.empty() && change.now == nullptr) add_who_waits(change.key, cache, keys);
  if (!can_change_environment(of, change)) return;
  add_namespace(cache.at(kComponents), change.key.namespace_name, keys);
}

aio::Task<> ComponentReconciler::call(const kube::Object& component, std::vector<Action>& actions,
                                      ReconcileContext& context) {
  std::vector<Action> others;
  for (Action& action : actions) {
    const auto* const call = std::get_if<HttpCall>(&action);
    if (call == nullptr) {
      others.push_back(std::move(action));
      continue;
    }
    if (!context.can_act()) continue;
    const std::string problem =
        co_await etcd_->post(call->url, call->body, [&context] { return context.can_act(); });
    // If we lost the leadership, the call was not sent; the next leader sends it.
    if (problem.empty() || !context.can_act()) continue;
    context.logger().log(runtime::Level::kWarning, "etcd keeps the keys of a deleted component",
                         {{"key", to_string(kube::key_of(component))}, {"error", problem}});
    others.push_back(
        event(target_of(kComponents, component.namespace_name(), component.name(), &component),
              true, "EtcdNotCleaned", "its keys stay in etcd until their leases end: " + problem));
  }
  actions = std::move(others);
}

std::chrono::seconds ComponentReconciler::wait_for(const kube::ObjectKey& key,
                                                   const ObservedState& observed,
                                                   ReconcileContext& context) {
  const bool is_evaluated = !kube::is_terminating(observed.object) && observed.errors.empty();
  if (!is_evaluated || !pods_wait(observed)) {
    late_.erase(key);
    return {};
  }
  const bool has_groups = !late_groups(observed.objects, observed.object.uid()).empty();
  if (!has_groups && all_references(observed).empty()) return {};
  const auto now = context.clock().monotonic();
  const auto [late, is_new] = late_.try_emplace(key);
  // If a previous process has already reported a problem, do not withdraw the report by starting
  // the wait again.
  if (is_new) late->second.since = reports_problem(observed.object) ? now - kPatience : now;
  return now - late->second.since < kPatience ? kPatience : kBetweenLooks;
}

aio::Task<> ComponentReconciler::diagnose(const ObservedState& observed, ReconcileContext& context,
                                          Diagnosis& diagnosis) {
  co_await look_up_references(observed, context, diagnosis);
  auto refusals = co_await refusals_of(late_groups(observed.objects, observed.object.uid()),
                                       std::string(observed.object.namespace_name()), context);
  if (refusals) {
    diagnosis.refusals = *std::move(refusals);
  } else {
    diagnosis.refusals_error = refusals.error();
  }
}

aio::Task<> ComponentReconciler::look_up_references(const ObservedState& observed,
                                                    ReconcileContext& context,
                                                    Diagnosis& diagnosis) {
  const std::vector<Reference> references = all_references(observed);
  for (const Reference& each : references) {
    const kube::ObjectKey key{.namespace_name = std::string(observed.object.namespace_name()),
                              .name = each.name};
    if (each.resource.kind == kClaimKind || each.resource.kind == kAccountKind) {
      const kube::Store& store = context.cache().at(each.resource);
      if (store.contains(key)) continue;
      if (!store.lacks(key)) {
        const UncertainObject uncertain{.resource = each.resource, .key = key};
        const auto asked = co_await find_on_server(uncertain, context);
        if (!asked) {
          diagnosis.read_error = asked.error();
          co_return;
        }
        if (*asked) continue;
      }
      diagnosis.missing.push_back(each);
      continue;
    }
    const auto read = co_await context.read(each.resource, key);
    if (read) continue;
    if (!read.error().is("NotFound")) {
      diagnosis.read_error = read.error();
      co_return;
    }
    diagnosis.missing.push_back(each);
  }
}

aio::Task<> ComponentReconciler::find_missing(ObservedState& observed, ReconcileContext& context) {
  const kube::ObjectKey key = kube::key_of(observed.object);
  const std::int64_t generation = kube::generation_of(observed.object);
  const auto now = context.clock().monotonic();
  {
    const LateComponent& late = late_[key];
    const bool is_fresh = late.generation == generation && now - late.checked_at < kBetweenLooks;
    observed.missing = late.missing;
    observed.refusals = late.refusals;
    if (is_fresh) co_return;
  }
  Diagnosis diagnosis;
  const bool in_time = co_await aio::within(kForLookUp, diagnose(observed, context, diagnosis));
  LateComponent& late = late_[key];
  late.checked_at = now;
  late.generation = generation;
  // Keep the previous result if there is no new one.
  if (in_time && !diagnosis.refusals_error)
    observed.refusals = late.refusals = std::move(diagnosis.refusals);
  if (in_time && !diagnosis.read_error) {
    observed.missing = late.missing = std::move(diagnosis.missing);
  } else {
    observed.is_missing_unknown = observed.missing.empty();
  }
  const auto& error = diagnosis.read_error ? diagnosis.read_error : diagnosis.refusals_error;
  if (in_time && !error) co_return;
  context.logger().log(runtime::Level::kDebug, "dependencies of a component were not looked up",
                       {{"key", to_string(key)}, {"error", error ? error->text : "no time"}});
}

aio::Task<ReconcileResult> ComponentReconciler::reconcile(kube::ObjectKey key,
                                                          ReconcileContext& context) {
  const auto object = context.cache().at(kComponents).find(key);
  if (!object) {
    late_.erase(key);
    co_return ReconcileResult::done();
  }
  const api::ClusterFacts& facts = cluster_state_.facts.latest();
  if (!kube::is_terminating(*object) && !is_pathway_known(facts))
    co_return ReconcileResult::requeue(kUntilKnown);
  NamespaceEnvironment found =
      namespace_environment(settings_, key.namespace_name, context.cache());
  found.environment.profile.pathway = component_pathway(facts);
  std::vector<UncertainObject> uncertain;
  ObservedState observed =
      observe(*object, found, kinds_, settings_,
              validator_.errors_of(api::Kind::kComponentDeployment, *object, cluster_state_),
              context, uncertain);
  if (!kube::is_terminating(*object)) {
    const auto unread = co_await read_uncertain(std::move(uncertain), context, observed.objects);
    if (unread) {
      Plan unread_plan = plan_after_read_failure(observed, unread->text);
      co_await context.act(std::move(unread_plan.actions));
      co_return context.failed(*unread);
    }
  }
  const std::chrono::seconds pause = wait_for(key, observed, context);
  if (pause == kBetweenLooks) co_await find_missing(observed, context);
  Plan made = plan(observed);
  const bool is_done = made.outcome == PlanOutcome::kDone;
  if (!context.is_dry_run()) co_await call(*object, made.actions, context);
  const ReconcileResult result = co_await execute_plan(
      std::move(made), context,
      [&observed](const std::string& why) { return plan_after_failure(observed, why); });
  // No watch reports changes of the objects that pods wait for, so check again later.
  const bool settled =
      !is_done || result.kind != ReconcileResult::Kind::kDone || pause.count() == 0;
  co_return settled ? result : ReconcileResult::requeue_after(pause);
}

std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state) {
  HttpEtcdGatewayOptions options;
  options.files = settings.etcd_files;
  auto etcd = std::make_shared<HttpEtcdGateway>(std::move(options), cluster_state.clock);
  return std::make_unique<ComponentReconciler>(std::move(settings), cluster_state, std::move(etcd));
}

}  // namespace dynamo::reconciler::component

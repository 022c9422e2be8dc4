#include "reconciler/request/reconciler.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/profiling_job.hpp"
#include "reconciler/engine/execute_plan.hpp"
#include "reconciler/engine/observe.hpp"
#include "reconciler/engine/uncertain_objects.hpp"
#include "reconciler/request/diagnosis.hpp"
#include "reconciler/request/generated.hpp"
#include "reconciler/request/prerequisites.hpp"
#include "render/component/names.hpp"
#include "text/names.hpp"
#include "text/quoted.hpp"
#include "text/timestamp.hpp"

namespace dynamo::reconciler::request {
namespace {

using kube::ReconcileResult;

constexpr kube::Resource kClusterRoleResource{"rbac.authorization.k8s.io", "v1", "clusterroles",
                                              "ClusterRole", false};
constexpr std::string_view kJobKind = "Job";
constexpr const char* kStateField = "status.state";
constexpr const char* kGraphNameField = "status.deployment.name";
constexpr const char* kOverrideField = "spec.deploymentOverrides.name";
constexpr const char* kGeneratedField = "status.generatedDeployment.metadata.name";
constexpr std::string_view kPendingState = "Pending";
// Pods of a Job that are not ready after this time may lack something.
constexpr std::chrono::seconds kPodPatience{60};
constexpr std::size_t kMaxNamespace = 63;

const kube::Resource& job_resource() {
  return find_managed_kind(kJobKind)->resource;
}

// The accounts of Jobs, where the reconciler creates them.
constexpr std::array<OwnedKind, 2> kAccess = {
    {{.kind = "ServiceAccount", .metadata_only = true}, {.kind = "RoleBinding"}}};

std::vector<WatchSpec> watches_of_requests(const RenderSettings& settings) {
  WatchSpec requests;
  requests.resource = kRequests;
  requests.options.field_indexes = {kStateField, kGraphNameField, kOverrideField, kGeneratedField};
  requests.can_be_missing = true;
  WatchSpec graphs;
  graphs.resource = kGraphs;
  graphs.can_be_missing = true;
  WatchSpec jobs;
  jobs.resource = job_resource();
  jobs.options.owner_index = true;
  jobs.options.label_indexes = {kAppLabel};
  jobs.label_selector = kJobLabel;
  std::vector<WatchSpec> all = {requests, graphs, jobs};
  if (settings.environment.namespace_restricted) return all;
  for (WatchSpec& each : watched_kinds(kAccess)) all.push_back(std::move(each));
  WatchSpec roles;
  roles.resource = kClusterRoleResource;
  roles.options.metadata_only = true;
  all.push_back(std::move(roles));
  return all;
}

kube::ObjectKey key_in(std::string_view namespace_name, std::string_view name) {
  return {.namespace_name = std::string(namespace_name), .name = std::string(name)};
}

kube::ObjectKey key_beside(const kube::Object& request, std::string_view name) {
  return key_in(request.namespace_name(), name);
}

std::string_view graph_state_of(const kube::Object* graph) {
  if (graph == nullptr) return {};
  return graph->root()["status"]["state"].string_or_empty();
}

bool is_running_job(const kube::Object* job) {
  return job != nullptr && job_state_of(*job) == JobState::kRunning;
}

// As JobSlots counts it.
bool uses_slot(const kube::Object* job) {
  return is_running_job(job) && !kube::is_terminating(*job);
}

void add_once(kube::ObjectKey key, std::vector<kube::ObjectKey>& keys) {
  if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
}

// A request waits for a free slot, or for the name of its Job.
void add_pending(const kube::Store& requests, std::vector<kube::ObjectKey>& keys) {
  std::vector<std::pair<std::string, kube::ObjectKey>> pending;
  for (kube::ObjectKey& key : requests.keys(requests.index_by_field(kStateField), kPendingState)) {
    const auto request = requests.find(key);
    if (!request) continue;
    pending.emplace_back(request->root()["metadata"]["creationTimestamp"].string_or_empty(),
                         std::move(key));
  }
  // The oldest one is reconciled first.
  std::ranges::sort(pending);
  for (auto& [created, key] : pending) keys.push_back(std::move(key));
}

void add_requests_of_job(const kube::StoreChange& change, const kube::Store& requests,
                         std::vector<kube::ObjectKey>& keys) {
  add_owners(change, kRequests.kind, keys);
  const bool has_ended = uses_slot(change.before) && !uses_slot(change.now);
  if (has_ended) add_pending(requests, keys);
  // The request that waits for the name of a deleted Job, which another object may own.
  constexpr std::string_view kPrefix = "profile-";
  if (change.now != nullptr || !change.key.name.starts_with(kPrefix)) return;
  kube::ObjectKey waiting = change.key;
  waiting.name.erase(0, kPrefix.size());
  if (requests.contains(waiting)) add_once(std::move(waiting), keys);
}

// The requests whose status names the graph.
void add_followers(const kube::ObjectKey& graph, const kube::Store& requests,
                   std::vector<kube::ObjectKey>& keys) {
  for (kube::ObjectKey& key : requests.keys(requests.index_by_field(kGraphNameField), graph.name)) {
    const auto request = requests.find(key);
    if (request && created_graph(*request) == graph) keys.push_back(std::move(key));
  }
}

// The requests that create a graph of this name next, or wait for the name.
void add_waiting_for_graph(const kube::ObjectKey& graph, const kube::Store& requests,
                           std::vector<kube::ObjectKey>& keys) {
  for (const char* const field : {kOverrideField, kGeneratedField}) {
    for (kube::ObjectKey& key : requests.keys(requests.index_by_field(field), graph.name)) {
      const auto request = requests.find(key);
      if (!request || step_of(*request) != RequestStep::kDeploy) continue;
      const api::GraphDeploymentRequest view{request->root()};
      const bool is_target = target_graph(view, view.status()["generatedDeployment"]) == graph;
      if (is_target) add_once(std::move(key), keys);
    }
  }
}

// The request that has the graph already: the one that its labels name, unless that does not
// exist, or the one whose status names it.
kube::ObjectKey other_request_of(const kube::Object& request, const kube::ObjectKey& graph_key,
                                 const std::optional<kube::Object>& graph,
                                 const kube::Store& requests) {
  const kube::ObjectKey own = kube::key_of(request);
  if (graph) {
    kube::ObjectKey labelled = labelled_request(*graph);
    if (labelled == own) return {};
    const bool exists = !labelled.name.empty() && !requests.lacks(labelled);
    if (exists) return labelled;
  }
  std::vector<kube::ObjectKey> followers;
  add_followers(graph_key, requests, followers);
  std::erase(followers, own);
  return followers.empty() ? kube::ObjectKey{} : followers.front();
}

bool is_late(const kube::Object& job, std::chrono::system_clock::time_point now) {
  const auto started = text::parse_timestamp(job.root()["status"]["startTime"].string_or_empty());
  return lacks_ready_pods(job) && started && now - *started >= kPodPatience;
}

// The account of the Job, its binding, and the role.
void add_access(const CacheReader& cache, const std::string& role, ObservedState& observed) {
  const std::string account(render::kProfilingAccount);
  const auto add = [&](const kube::Resource& resource, const kube::ObjectKey& key) {
    if (const auto found = cache.at(resource).find(key)) observed.objects.add(*found);
  };
  add(find_managed_kind("ServiceAccount")->resource, key_beside(observed.object, account));
  add(find_managed_kind("RoleBinding")->resource,
      key_beside(observed.object, account + "-binding"));
  add(kClusterRoleResource, {.namespace_name = "", .name = role});
}

// The server rejects this object: a retry is not expected to help.
bool is_refusal(const ReconcileResult& ended) {
  constexpr std::array<int, 6> kTransient = {0, 401, 409, 429, 503, 504};
  return ended.kind == ReconcileResult::Kind::kRetry &&
         std::ranges::find(kTransient, ended.http_status) == kTransient.end();
}

bool creates_job(const Plan& made) {
  return std::ranges::any_of(made.actions, [](const Action& each) {
    return action_kind_of(each) == ActionKind::kCreate &&
           target_of(each)->resource.kind == kJobKind;
  });
}

kube::ObjectKey key_of_job(const kube::ObjectKey& request) {
  return {.namespace_name = request.namespace_name,
          .name = render::profiling_job_name(request.name).str()};
}

}  // namespace

RequestReconciler::RequestReconciler(RenderSettings settings, const ClusterState& cluster_state,
                                     std::size_t max_jobs)
    : Reconciler({.name = kName,
                  .resource = kRequests,
                  .watches = watches_of_requests(settings),
                  .depends_on_policy = true}),
      settings_(std::move(settings)),
      cluster_state_(cluster_state),
      max_jobs_(max_jobs) {}

void RequestReconciler::map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                                        const CacheReader& cache,
                                        std::vector<kube::ObjectKey>& keys) const {
  const kube::Store& requests = cache.at(kRequests);
  if (of.kind == kJobKind) return add_requests_of_job(change, requests, keys);
  if (of.kind == kGraphs.kind) {
    const bool is_edit = change.before != nullptr && change.now != nullptr;
    if (is_edit && graph_state_of(change.before) == graph_state_of(change.now)) return;
    add_followers(change.key, requests, keys);
    const kube::Object& graph = change.now != nullptr ? *change.now : *change.before;
    kube::ObjectKey labelled = labelled_request(graph);
    if (requests.contains(labelled)) add_once(std::move(labelled), keys);
    if (change.now == nullptr) add_waiting_for_graph(change.key, requests, keys);
    return;
  }
  if (of.kind == kRequests.kind) {
    // The graph of a deleted request is free for others.
    if (change.now == nullptr) add_waiting_for_graph(created_graph(*change.before), requests, keys);
    return;
  }
  const bool is_role = of.kind == kClusterRoleResource.kind &&
                       change.key.name == settings_.environment.profiling_cluster_role;
  const bool came_or_went = change.before == nullptr || change.now == nullptr;
  if (is_role && came_or_went) add_pending(requests, keys);
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_named(kube::Resource resource,
                                                                      std::string_view name,
                                                                      ObservedState& observed,
                                                                      ReconcileContext& context) {
  if (!text::is_dns_subdomain(name)) co_return std::nullopt;
  const auto found = co_await context.read(resource, key_beside(observed.object, name));
  if (found) observed.objects.add(*found);
  if (!found && !found.error().is("NotFound")) co_return found.error();
  co_return std::nullopt;
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_prerequisites(
    ObservedState& observed, ReconcileContext& context) {
  const api::GraphDeploymentRequest view{observed.object.root()};
  const NamedObjects named = named_objects(view);
  auto error = co_await read_named(kube::kConfigMaps, named.config_map, observed, context);
  if (!error) {
    error = co_await read_named(kube::kPersistentVolumeClaims, named.claim, observed, context);
  }
  if (error) co_return error;
  observed.errors =
      validator_.errors_of(api::Kind::kGraphDeploymentRequest, observed.object, cluster_state_);
  for (std::string& each : missing_prerequisites(view, observed.objects)) {
    observed.errors.push_back(std::move(each));
  }
  co_return std::nullopt;
}

// The cache has Jobs with the label of requests only. After a restart it may still show the Job of
// an earlier attempt, which must neither be adopted nor end this one.
aio::Task<RequestReconciler::ReadError> RequestReconciler::read_job(ObservedState& observed,
                                                                    ReconcileContext& context) {
  kube::ObjectKey key = key_of_job(kube::key_of(observed.object));
  const auto cached = context.cache().at(job_resource()).find(key);
  const bool is_profiling = step_of(observed.object) == RequestStep::kProfile;
  if (cached && is_profiling && is_running_job(&*cached)) {
    observed.objects.add(*cached);
    co_return std::nullopt;
  }
  const UncertainObject uncertain{.resource = job_resource(), .key = std::move(key)};
  const auto found = co_await find_on_server(uncertain, context);
  if (!found) co_return found.error();
  if (*found) observed.objects.add(**found);
  co_return std::nullopt;
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_for_acceptance(
    ObservedState& observed, ReconcileContext& context) {
  auto error = co_await read_prerequisites(observed, context);
  // Only a failed request has a Job.
  const bool is_new = observed.object.root()["status"]["state"].string_or_empty().empty();
  if (error || is_new) co_return error;
  co_return co_await read_job(observed, context);
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_for_job(ObservedState& observed,
                                                                        ReconcileContext& context) {
  ReadError error;
  // An invalid edit is reported before the request waits for a slot.
  if (is_edited(observed.object)) error = co_await read_prerequisites(observed, context);
  // Nothing else is read for the wait: hundreds of requests may wait for a slot.
  if (error || !observed.has_free_slot) co_return error;
  error = co_await read_job(observed, context);
  if (error) co_return error;
  const std::string output = render::profiling_output_name(observed.object.name()).str();
  error = co_await read_named(kube::kConfigMaps, output, observed, context);
  if (error || !is_cluster_wide()) co_return error;
  add_access(context.cache(), settings_.environment.profiling_cluster_role, observed);
  co_return std::nullopt;
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_pods(const kube::Object& job,
                                                                     ObservedState& observed,
                                                                     ReconcileContext& context) {
  const bool has_failed = job_state_of(job) == JobState::kFailed;
  if (!has_failed && !is_late(job, observed.now)) co_return std::nullopt;
  kube::ListOptions options;
  options.label_selector = "job-name=" + std::string(job.name());
  const auto pods = co_await context.list(kube::kPods, std::string(job.namespace_name()), options);
  if (!pods) {
    // Without the right to list pods their state is unknown, but the Job's is not.
    if (has_failed && !pods.error().is("Forbidden")) co_return pods.error();
    observed.pods = has_failed ? "its pods could not be listed: " + pods.error().text : "";
    co_return std::nullopt;
  }
  observed.pods =
      has_failed ? describe_failed_pods(pods->items) : describe_waiting_pods(pods->items);
  if (!has_failed && pods->items.empty()) {
    observed.pods = "it has no pod; its events give the reason: kubectl -n " +
                    std::string(job.namespace_name()) + " describe job " + std::string(job.name());
  }
  co_return std::nullopt;
}

void RequestReconciler::validate_graph(ObservedState& observed) {
  const auto generated = json::parse_copy(observed.extraction->result->graph);
  const auto graph = kube::Object::parse(
      graph_manifest(api::GraphDeploymentRequest{observed.object.root()}, generated->root()));
  if (!graph) {
    observed.denial = graph.error().text;
    return;
  }
  const api::Parameters own{.own_istio_gateway = cluster_state_.istio_gateway,
                            .own_host_suffix = cluster_state_.ingress_host_suffix};
  admission::EvaluationInputs inputs = cluster_state_.evaluation_inputs();
  inputs.default_parameters = &own;
  observed.denial = graph_validator_.validate(api::Kind::kGraphDeployment, *graph, inputs).message;
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_result(ObservedState& observed,
                                                                       ReconcileContext& context) {
  const api::GraphDeploymentRequest view{observed.object.root()};
  const std::string output = render::profiling_output_name(observed.object.name()).str();
  const auto read = co_await context.read(kube::kConfigMaps, key_beside(observed.object, output));
  if (!read) {
    if (!read.error().is("NotFound")) co_return read.error();
    observed.extraction = missing_result(output);
    co_return std::nullopt;
  }
  observed.extraction = extract_result(*read, result_key(view));
  if (!observed.extraction->result) co_return std::nullopt;
  validate_graph(observed);
  if (!observed.denial.empty()) co_return std::nullopt;
  observed.refused_namespace = refusal_of_namespace(observed.object, target_namespace(view));
  if (!observed.refused_namespace.empty()) co_return std::nullopt;
  for (const AdditionalResource& each : observed.extraction->result->additional) {
    if (!can_be_created(each)) continue;
    const auto found =
        co_await context.read(kube::kConfigMaps, key_in(target_namespace(view), each.name));
    if (found) observed.existing_config_maps.insert(each.name);
    if (found && is_older(*found, observed.object)) observed.older_config_maps.insert(each.name);
    if (!found && !found.error().is("NotFound")) co_return found.error();
  }
  co_return std::nullopt;
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_profiling(
    ObservedState& observed, ReconcileContext& context) {
  auto error = co_await read_job(observed, context);
  if (error) co_return error;
  const kube::Object* const job =
      observed.objects.find(kJobKind, key_of_job(kube::key_of(observed.object)).name);
  if (job == nullptr) co_return std::nullopt;
  if (job_state_of(*job) == JobState::kComplete) co_return co_await read_result(observed, context);
  co_return co_await read_pods(*job, observed, context);
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::read_graph(ObservedState& observed,
                                                                      ReconcileContext& context) {
  const kube::Object& request = observed.object;
  const bool is_created = step_of(request) == RequestStep::kFollow;
  const kube::ObjectKey key = is_created
                                  ? created_graph(request)
                                  : target_graph(api::GraphDeploymentRequest{request.root()},
                                                 request.root()["status"]["generatedDeployment"]);
  if (!is_created) {
    observed.refused_namespace = refusal_of_namespace(request, key.namespace_name);
    if (!observed.refused_namespace.empty()) co_return std::nullopt;
  }
  const kube::Store& graphs = context.cache().at(kGraphs);
  observed.graph = graphs.find(key);
  const bool is_cached = is_cluster_wide() || key.namespace_name == request.namespace_name();
  // After a restart the cache may not show the created graph yet, and its absence is final.
  const bool is_known = observed.graph || (!is_created && is_cached && graphs.lacks(key));
  if (!is_known && text::is_dns_subdomain(key.name)) {
    auto read = co_await context.read(kGraphs, key);
    if (!read && !read.error().is("NotFound")) co_return read.error();
    if (read) observed.graph = *std::move(read);
  }
  if (!is_created) {
    observed.other_request =
        other_request_of(request, key, observed.graph, context.cache().at(kRequests));
  }
  co_return std::nullopt;
}

std::string RequestReconciler::refusal_of_namespace(const kube::Object& request,
                                                    const std::string& target) const {
  if (target == request.namespace_name()) return {};
  const std::string must =
      "spec.deploymentOverrides.namespace: must be a namespace that this "
      "operator serves; found " +
      text::quoted(target, kMaxNamespace);
  if (!is_cluster_wide()) {
    return must + ", and it serves " + text::quoted(request.namespace_name(), kMaxNamespace) +
           " alone";
  }
  if (!exclusion_of(target, cluster_state_).empty()) return must + ", which is excluded";
  const admission::EvaluationInputs inputs = cluster_state_.evaluation_inputs();
  const auto lease = inputs.leases.find(target);
  if (lease && admission::is_live(*lease, inputs.now)) {
    return must + ", which belongs to another operator";
  }
  return {};
}

void RequestReconciler::take_slot(ObservedState& observed, bool& leaves_slot,
                                  const CacheReader& cache) {
  const kube::ObjectKey key = kube::key_of(observed.object);
  const kube::ObjectKey job = key_of_job(key);
  const kube::Store& jobs = cache.at(job_resource());
  if (jobs.contains(job)) {
    // The cache counts it, unless it is that of another owner.
    if (slots_.release(key)) leaves_slot = true;
    return;
  }
  observed.has_free_slot = slots_.is_reserved(key) || max_jobs_ == 0 ||
                           slots_.used(jobs, cache.at(kRequests)) < max_jobs_;
  if (observed.has_free_slot) {
    slots_.reserve(key, job);
    leaves_slot = false;
  } else {
    slots_.wait(key, observed.object.root()["metadata"]["creationTimestamp"].string_or_empty());
  }
}

// The Job was read from the server if the cache lacks it.
bool RequestReconciler::release_unused_slot(const ObservedState& observed) {
  const kube::ObjectKey key = kube::key_of(observed.object);
  const kube::Object* const job = observed.objects.find(kJobKind, key_of_job(key).name);
  const auto controller = job == nullptr ? std::nullopt : kube::controller_of(*job);
  const bool has_job = controller && controller->uid == observed.object.uid();
  return !has_job && slots_.release(key);
}

// Without a clear answer the Job may exist: the next reconcile reads it, or creates it again.
aio::Task<bool> RequestReconciler::release_refused_slot(kube::ObjectKey key, ReconcileResult result,
                                                        ReconcileContext& context) {
  constexpr int kServerError = 500;
  const bool is_refused = result.kind == ReconcileResult::Kind::kRetry && result.http_status != 0 &&
                          result.http_status < kServerError;
  if (!is_refused) co_return false;
  // Another action may have been refused, after the creation.
  const UncertainObject uncertain{.resource = job_resource(), .key = key_of_job(key)};
  const auto found = co_await find_on_server(uncertain, context);
  co_return found && !*found && slots_.release(key);
}

void RequestReconciler::wake_next(ReconcileContext& context) {
  const CacheReader& cache = context.cache();
  if (slots_.used(cache.at(job_resource()), cache.at(kRequests)) >= max_jobs_) return;
  if (const auto next = slots_.next_waiting()) context.enqueue(*next);
}

aio::Task<RequestReconciler::ReadError> RequestReconciler::observe(ObservedState& observed,
                                                                   ReconcileContext& context) {
  switch (step_of(observed.object)) {
    case RequestStep::kAccept:
      co_return co_await read_for_acceptance(observed, context);
    case RequestStep::kStartJob:
      co_return co_await read_for_job(observed, context);
    case RequestStep::kProfile:
      co_return co_await read_profiling(observed, context);
    case RequestStep::kDeploy:
    case RequestStep::kFollow:
      co_return co_await read_graph(observed, context);
    case RequestStep::kDelete:
    case RequestStep::kReject:
    case RequestStep::kRest:
    case RequestStep::kUnknown:
      break;
  }
  co_return std::nullopt;
}

// Each by itself, because a refused action ends the others.
aio::Task<std::optional<ReconcileResult>> RequestReconciler::create_config_maps(
    Plan& made, ObservedState& observed, ReconcileContext& context) {
  bool has_created = false;
  for (const Action& each : made.actions) {
    const auto* const creation = std::get_if<Create>(&each);
    if (creation == nullptr || creation->target.resource.kind != kube::kConfigMaps.kind) continue;
    has_created = true;
    const std::string name = creation->target.name;
    const auto ended = co_await context.act(std::vector<Action>(1, each));
    if (ended && !is_refusal(*ended)) co_return ended;
    if (ended) {
      observed.refused_config_maps.emplace(name, ended->error);
    } else {
      observed.existing_config_maps.insert(name);
    }
  }
  if (has_created) made = plan(observed);
  co_return std::nullopt;
}

aio::Task<ReconcileResult> RequestReconciler::execute(Plan made, ObservedState& observed,
                                                      ReconcileContext& context) {
  const auto ended = co_await create_config_maps(made, observed, context);
  if (ended) {
    if (ended->kind == ReconcileResult::Kind::kRetry) {
      Plan failed = plan_after_failure(observed, ended->error);
      co_await context.act(std::move(failed.actions));
    }
    co_return *ended;
  }
  co_return co_await execute_plan(std::move(made), context, [&observed](const std::string& why) {
    return plan_after_failure(observed, why);
  });
}

ObservedState RequestReconciler::initial_state_of(const kube::Object& request,
                                                  ReconcileContext& context) const {
  ObservedState observed;
  observed.object = request;
  observed.environment = settings_.environment;
  observed.now = context.clock().wall();
  observed.max_jobs = max_jobs_;
  const auto rejected = rejected_.find(kube::key_of(request));
  if (rejected != rejected_.end()) observed.reported_generation = rejected->second;
  return observed;
}

aio::Task<ReconcileResult> RequestReconciler::reconcile(kube::ObjectKey key,
                                                        ReconcileContext& context) {
  // No watch reports a slot that becomes free without a Job.
  bool leaves_slot = slots_.begin(key);
  const ReconcileResult result = co_await reconcile_request(key, leaves_slot, context);
  if (leaves_slot) wake_next(context);
  co_return result;
}

aio::Task<ReconcileResult> RequestReconciler::reconcile_request(kube::ObjectKey key,
                                                                bool& leaves_slot,
                                                                ReconcileContext& context) {
  const auto object = context.cache().at(kRequests).find(key);
  if (!object) {
    rejected_.erase(key);
    if (slots_.release(key)) leaves_slot = true;
    co_return ReconcileResult::done();
  }
  ObservedState observed = initial_state_of(*object, context);
  const RequestStep step = step_of(*object);
  if (step == RequestStep::kStartJob) take_slot(observed, leaves_slot, context.cache());
  const ReadError unread = co_await observe(observed, context);
  if (unread) {
    if (slots_.release_unsent(key)) leaves_slot = true;
    Plan unread_plan = plan_after_failure(observed, unread->text);
    co_await context.act(std::move(unread_plan.actions));
    co_return context.failed(*unread);
  }
  Plan made = plan(observed);
  const bool creates = creates_job(made);
  if (creates) slots_.mark_sent(key);
  if (!creates && release_unused_slot(observed)) leaves_slot = true;
  const bool is_done = made.outcome == PlanOutcome::kDone;
  const bool asks_for_next = made.outcome == PlanOutcome::kWait && made.pause.count() == 0;
  const ReconcileResult result = co_await execute(std::move(made), observed, context);
  if (creates) {
    const bool is_refused = co_await release_refused_slot(key, result, context);
    leaves_slot = leaves_slot || is_refused;
  }
  if (step == RequestStep::kReject) {
    rejected_.insert_or_assign(key, kube::generation_of(*object));
  } else {
    rejected_.erase(key);
  }
  // No watch reports why pods do not start.
  const kube::Object* const live = observed.objects.find(kJobKind, key_of_job(key).name);
  const bool pods_wait = step == RequestStep::kProfile && live != nullptr && is_running_job(live) &&
                         lacks_ready_pods(*live);
  if (is_done && result.kind == ReconcileResult::Kind::kDone && pods_wait) {
    co_return ReconcileResult::requeue_after(kPodPatience);
  }
  // A dry run changes no state, so no next step follows.
  if (asks_for_next && context.is_dry_run()) co_return ReconcileResult::done();
  co_return result;
}

std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state,
                                 std::size_t max_jobs) {
  return std::make_unique<RequestReconciler>(std::move(settings), cluster_state, max_jobs);
}

}  // namespace dynamo::reconciler::request

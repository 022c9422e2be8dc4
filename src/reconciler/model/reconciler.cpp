#include "reconciler/model/reconciler.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "admission/ignores.hpp"
#include "api/kind.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/model/http_engine_client.hpp"
#include "reconciler/model/status.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "reconciler/verdict/validator.hpp"
#include "render/document/well_known.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::reconciler::model {
namespace {

using kube::ReconcileResult;

// Answers stay valid this long for the next reconcile, if the writes failed.
constexpr std::chrono::seconds kAnswersAreKept{10};
// Delay until the leadership is checked again: a Lease that is renewed late remains ours.
constexpr std::chrono::milliseconds kNotLeadingPause{500};
// One namespace uses a quarter of the workers: unresponsive servers block a reconcile for
// `calls.total_timeout`.
constexpr std::size_t kNamespaceWorkersDivisor = 4;

bool same(const EngineRequest& one, const EngineRequest& other) {
  return one.method == other.method && one.host == other.host && one.port == other.port &&
         one.path == other.path && one.body == other.body;
}

std::string hash_of(const kube::Object* slice) {
  if (slice == nullptr) return {};
  const json::Value labels = slice->root()["metadata"]["labels"];
  return std::string(labels[render::label::kBaseModelHash].string_or_empty());
}

std::vector<kube::Object> slices_of(const kube::Object& model, const CacheReader& cache) {
  const kube::Store& slices = cache.at(kube::kEndpointSlices);
  const auto& by_model = slices.index_by_label(render::label::kBaseModelHash);
  std::vector<kube::Object> found;
  for (const kube::ObjectKey& key : slices.keys(by_model, base_model_hash_of(model))) {
    if (key.namespace_name != model.namespace_name()) continue;
    if (auto slice = slices.find(key)) found.push_back(*std::move(slice));
  }
  return found;
}

std::vector<WatchSpec> all_watches() {
  WatchSpec models;
  models.resource = kModels;
  models.options.namespace_index = true;
  models.can_be_missing = true;
  WatchSpec slices;
  slices.resource = kube::kEndpointSlices;
  slices.options.label_indexes = {std::string(render::label::kBaseModelHash)};
  slices.label_selector = render::label::kBaseModelHash;
  // Nothing blocks the deletion of a model, whatever the state of its servers.
  slices.is_optional = true;
  return {models, slices};
}

// The same object with an unchanged spec and deletion state.
bool is_same(const kube::Object& one, const kube::Object& other) {
  return one.uid() == other.uid() && kube::generation_of(one) == kube::generation_of(other) &&
         kube::is_terminating(one) == kube::is_terminating(other);
}

// The exemptions that the author requests may change the verdict without a new generation. Other
// annotations are ignored: the admission record is one, and it changes with each write.
bool asks_the_same(const kube::Object& one, const kube::Object& other) {
  const json::Value before = one.root()["metadata"]["annotations"];
  const json::Value now = other.root()["metadata"]["annotations"];
  return std::ranges::all_of(
      std::array{admission::kIgnoreAnnotation, admission::kIgnoreReasonAnnotation},
      [&](std::string_view name) { return json::equal(before[name], now[name]); });
}

}  // namespace

ModelReconciler::ModelReconciler(std::shared_ptr<EngineClient> client,
                                 ModelReconcilerOptions options)
    : Reconciler({.name = kName,
                  .resource = kModels,
                  .watches = all_watches(),
                  .namespace_workers_divisor = kNamespaceWorkersDivisor,
                  .external_call_budget = options.calls.total_timeout,
                  // The evaluation depends on it.
                  .depends_on_policy = true}),
      client_(std::move(client)),
      options_(std::move(options)) {}

// Our own status write must not trigger requests to every server; changes of the status by other
// clients must.
bool ModelReconciler::should_reconcile(const kube::StoreChange& change) const {
  if (change.before == nullptr || change.now == nullptr) return true;
  if (!is_same(*change.before, *change.now)) return true;
  if (!asks_the_same(*change.before, *change.now)) return true;
  const bool lost_finalizer = kube::has_finalizer(*change.before, api::kFinalizer) &&
                              !kube::has_finalizer(*change.now, api::kFinalizer);
  if (lost_finalizer) return true;
  const auto memory = memories_.find(change.key);
  if (memory == memories_.end() || memory->second.reported.empty()) {
    return !json::equal(change.before->root()["status"], change.now->root()["status"]);
  }
  return status_summary(*change.now) != memory->second.reported;
}

void ModelReconciler::map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                                      const CacheReader& cache,
                                      std::vector<kube::ObjectKey>& keys) const {
  if (of.kind != kube::kEndpointSlices.kind) return;
  const std::string before = hash_of(change.before);
  const std::string now = hash_of(change.now);
  const kube::Store& models = cache.at(kModels);
  const auto& by_namespace = models.index_by_namespace();
  for (kube::ObjectKey& key : models.keys(by_namespace, change.key.namespace_name)) {
    const auto model = models.find(key);
    if (!model) continue;
    const std::string hash = base_model_hash_of(*model);
    if (hash == before || hash == now) keys.push_back(std::move(key));
  }
}

// First the servers that have loaded it or were never called, then those that failed; within each
// group, the longest-waiting first. So every server is called eventually, as working servers leave
// time, and failing servers do not delay working ones.
std::vector<std::size_t> ModelReconciler::order_of(const std::vector<EngineRequest>& requests,
                                                   const Memory& memory) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const auto record = memory.call_records.find(requests[i].host);
    const CallRecord known = record == memory.call_records.end() ? CallRecord{} : record->second;
    return std::pair(known.failed, known.asked);
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

void ModelReconciler::record_calls(Memory& memory, const std::vector<EngineRequest>& requests,
                                   const std::vector<EngineAnswer>& answers) {
  ++memory.rounds;
  std::map<std::string, CallRecord> call_records;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string& host = requests[i].host;
    CallRecord& record = call_records.try_emplace(host, memory.call_records[host]).first->second;
    if (!answers[i].was_asked) continue;
    record.asked = memory.rounds;
    record.failed = !answers[i].is_success();
  }
  memory.call_records = std::move(call_records);
}

aio::Task<std::optional<std::vector<EngineAnswer>>> ModelReconciler::ask(
    Memory& memory, std::vector<EngineRequest> requests, ReconcileContext& context) {
  const bool are_known = std::ranges::equal(requests, memory.requests, same) &&
                         context.clock().monotonic() < memory.answered + kAnswersAreKept;
  memory.requests.clear();
  std::vector<EngineAnswer> known = std::exchange(memory.answers, {});
  if (are_known) co_return known;
  const std::vector<std::size_t> order = order_of(requests, memory);
  std::vector<EngineRequest> ordered;
  ordered.reserve(order.size());
  for (const std::size_t i : order) ordered.push_back(requests[i]);
  CallPoolOptions calls = options_.calls;
  calls.can_send = [&context] { return context.can_act(); };
  std::vector<EngineAnswer> came =
      co_await call_all(*client_, std::move(ordered), std::move(calls));
  std::vector<EngineAnswer> answers(requests.size());
  for (std::size_t i = 0; i < came.size(); ++i) answers[order[i]] = std::move(came[i]);
  record_calls(memory, requests, answers);
  memory.answered = context.clock().monotonic();
  if (std::ranges::any_of(answers, &EngineAnswer::was_withheld)) co_return std::nullopt;
  co_return answers;
}

// Reports it once until it works again, independent of the number of retries.
bool ModelReconciler::report_lookup_once(Memory& memory, ResultPlan& result_plan) {
  const auto is_about_it = [](const Action& each) {
    const auto* const event = std::get_if<EmitEvent>(&each);
    return event != nullptr && event->reason == kDiscoveryFailedEvent;
  };
  const bool fails = std::ranges::any_of(result_plan.actions, is_about_it);
  if (!fails) memory.is_lookup_reported = false;
  if (memory.is_lookup_reported) std::erase_if(result_plan.actions, is_about_it);
  return fails;
}

aio::Task<ReconcileResult> ModelReconciler::reconcile(kube::ObjectKey key,
                                                      ReconcileContext& context) {
  auto model = context.cache().at(kModels).find(key);
  if (!model) {
    memories_.erase(key);
    event_deduplicator_.forget(key);
    co_return ReconcileResult::done();
  }
  const std::vector<kube::Object> slices = slices_of(*model, context.cache());
  const std::string invalid = options_.validate ? options_.validate(*model) : std::string();
  const std::string list_error = context.cache().list_error(kube::kEndpointSlices);
  const ObservedState observed{.model = *model,
                               .slices = slices,
                               .invalid = invalid,
                               .list_error = list_error,
                               .port = options_.port};
  RequestPlan request_plan = plan_requests(observed);
  if (request_plan.next == RequestPlan::NextStep::kNothing) co_return ReconcileResult::done();
  if (context.is_dry_run() && !request_plan.requests.empty()) {
    // Further actions depend on the answers.
    std::vector<Action> shown = request_plan.actions;
    for (const EngineRequest& each : request_plan.requests) shown.push_back(as_action(each));
    const auto ended = co_await context.act(std::move(shown));
    co_return ended ? *ended : ReconcileResult::done();
  }
  const bool has_written = !request_plan.actions.empty();
  const auto stopped = co_await context.act(request_plan.actions);
  if (stopped) co_return *stopped;
  if (has_written && !context.is_dry_run()) {
    auto fresh = co_await context.read(kModels, key);
    if (!fresh) co_return context.failed(fresh.error());
    if (!is_same(*model, *fresh)) co_return ReconcileResult::requeue();
    model = *std::move(fresh);  // `observed` refers to it
  }
  Memory& memory = memories_[key];
  const auto answers = co_await ask(memory, request_plan.requests, context);
  if (!answers) co_return ReconcileResult::requeue(kNotLeadingPause);
  ResultPlan result_plan =
      request_plan.next == RequestPlan::NextStep::kCleanUp
          ? plan_clean_up(observed, request_plan, *answers)
          : plan_result(observed, request_plan, *answers, context.clock().wall());
  memory.reported = result_plan.reported;
  const bool lookup_fails = report_lookup_once(memory, result_plan);
  const auto ended =
      co_await event_deduplicator_.act(context, *model, std::move(result_plan.actions));
  if (ended) {
    memory.requests = std::move(request_plan.requests);
    memory.answers = *answers;
    co_return *ended;
  }
  memory.is_lookup_reported = lookup_fails;
  if (!result_plan.retry_reason.empty()) co_return ReconcileResult::retry(result_plan.retry_reason);
  if (result_plan.requeue_after)
    co_return ReconcileResult::requeue_after(*result_plan.requeue_after);
  co_return ReconcileResult::done();
}

std::unique_ptr<Reconciler> make(const ClusterState& cluster_state) {
  ModelReconcilerOptions options;
  const auto validator = std::make_shared<validation::StoredObjectValidator>();
  options.validate = [validator, &cluster_state](const kube::Object& model) {
    std::string excluded = exclusion_of(model.namespace_name(), cluster_state);
    if (!excluded.empty()) return excluded;
    return validator->validate(api::Kind::kModel, model, cluster_state.evaluation_inputs()).message;
  };
  HttpEngineClientOptions client_options;
  client_options.user_agent = runtime::user_agent("dynamo-reconciler");
  return std::make_unique<ModelReconciler>(
      std::make_shared<HttpEngineClient>(std::move(client_options)), std::move(options));
}

}  // namespace dynamo::reconciler::model

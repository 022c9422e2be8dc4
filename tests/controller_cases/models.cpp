// Runs the plans of models and scaling adapters over the store of a case.
#include <algorithm>
#include <chrono>
#include <utility>

#include "api/kind.hpp"
#include "cluster/resources.hpp"
#include "kube/object/object.hpp"
#include "reconciler/model/plan.hpp"
#include "reconciler/scaling_adapter/plan.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/operator.hpp"

namespace dynamo::cases {
namespace {

namespace adapters = reconciler::scaling_adapter;
namespace models = reconciler::model;

// The only server that answered during the recording.
constexpr std::string_view kAnsweringHost = "127.0.0.1";
constexpr int kOk = 200;

constexpr std::chrono::system_clock::time_point kNow =
    std::chrono::sys_days(std::chrono::January / 1 / 2026);

std::vector<kube::Object> slices_of(const ReconcileInputs& inputs) {
  std::vector<kube::Object> slices;
  for (const auto& [key, object] : inputs.store.objects()) {
    if (key.starts_with("EndpointSlice/")) slices.push_back(object_of(object));
  }
  return slices;
}

std::string first_of(const std::vector<std::string>& errors) {
  return errors.empty() ? std::string() : errors.front();
}

void act(ReconcileInputs& inputs, const std::vector<reconciler::Action>& actions,
         ReconcileOutput& output) {
  for (const reconciler::Action& action : actions) inputs.store.act(action, output);
}

// The recording contains only calls that were answered.
models::EngineAnswer ask(const models::EngineRequest& request, ReconcileOutput& output) {
  models::EngineAnswer answer;
  answer.was_asked = true;
  if (request.host != kAnsweringHost) {
    answer.problem = "connection refused";
    return answer;
  }
  const reconciler::HttpCall call = models::as_action(request);
  std::string line = call.method + " " + call.url;
  if (!call.body.empty()) line += " application/json " + call.body;
  output.http_calls.push_back(std::move(line));
  answer.status = kOk;
  return answer;
}

}  // namespace

ReconcileOutput reconcile_model(ReconcileInputs& inputs, std::string_view name) {
  const std::string key = Store::key(models::kModels.kind, inputs.space, name);
  const Object* const live = inputs.store.find(key);
  if (live == nullptr) return {};
  kube::Object model = object_of(*live);
  const std::vector<kube::Object> slices = slices_of(inputs);
  const std::string invalid =
      first_of(reconciler::errors_of(api::Kind::kModel, model.root(), inputs.space, name));
  const models::ObservedState observed{.model = model, .slices = slices, .invalid = invalid};
  const models::RequestPlan request_plan = models::plan_requests(observed);
  ReconcileOutput output;
  if (request_plan.next == models::RequestPlan::NextStep::kNothing) return output;
  act(inputs, request_plan.actions, output);
  // This write's version guards the next write; `observed` contains it.
  model = object_of(*inputs.store.find(key));
  std::vector<models::EngineAnswer> answers;
  for (const models::EngineRequest& each : request_plan.requests)
    answers.push_back(ask(each, output));
  const models::ResultPlan result_plan =
      request_plan.next == models::RequestPlan::NextStep::kCleanUp
          ? models::plan_clean_up(observed, request_plan, answers)
          : models::plan_result(observed, request_plan, answers, kNow);
  act(inputs, result_plan.actions, output);
  if (result_plan.requeue_after) {
    output.result = "requeue after " + std::to_string(result_plan.requeue_after->count()) + "s";
  }
  return output;
}

ReconcileOutput reconcile_adapter(ReconcileInputs& inputs, std::string_view name) {
  const Object* const live =
      inputs.store.find(Store::key(adapters::kScalingAdapters.kind, inputs.space, name));
  if (live == nullptr) return {};
  const kube::Object adapter = object_of(*live);
  kube::Object rival;
  for (const auto& [key, object] : inputs.store.objects()) {
    if (text(member(object, "kind")) != adapters::kScalingAdapters.kind) continue;
    kube::Object other = object_of(object);
    if (adapters::takes_precedence(other, adapter)) rival = std::move(other);
  }
  const Object* const found = inputs.store.find(
      Store::key(cluster::kGraphDeployments.kind, inputs.space, adapters::graph_of(adapter)));
  kube::Object graph;
  if (found != nullptr) graph = object_of(*found);
  std::string& reported =
      inputs.reported[adapter.uid().empty() ? std::string(name) : std::string(adapter.uid())];
  const adapters::AdapterPlan plan =
      adapters::plan({.adapter = adapter,
                      .graph = found == nullptr ? nullptr : &graph,
                      .rival = rival.name().empty() ? nullptr : &rival,
                      .reported = reported},
                     kNow);
  reported = plan.reported;
  ReconcileOutput output;
  act(inputs, plan.actions, output);
  if (!plan.missing.empty()) output.result = "error";
  return output;
}

}  // namespace dynamo::cases

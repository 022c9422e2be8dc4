// Planning ends for any state of a model, an adapter or a checkpoint. All actions concern that
// object (or the graph of its namespace, or its Job), each body is JSON within the limits, and HTTP
// requests stay below the path of adapters.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.hpp"
#include "json/scan.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/checkpoint/plan.hpp"
#include "reconciler/model/lora_requests.hpp"
#include "reconciler/model/plan.hpp"
#include "reconciler/scaling_adapter/plan.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace kube = dynamo::kube;
namespace models = dynamo::reconciler::model;
namespace adapters = dynamo::reconciler::scaling_adapter;
namespace checkpoints = dynamo::reconciler::checkpoint;

using dynamo::reconciler::Action;
using dynamo::reconciler::ActionKind;

namespace {

constexpr std::size_t kMaxNote = 1'024;  // note of an Event, the API server's limit
constexpr std::size_t kMaxSlices = 16;

// 2026-02-03T04:05:06Z
const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

kube::Object object_of(json::Value value) {
  auto object = kube::Object::parse(value.is_object() ? json::to_text(value) : "{}");
  return object ? *object : kube::Object();
}

void check_content(const Action& action, const kube::Object& about) {
  const auto* const target = target_of(action);
  fuzz::require(target != nullptr && target->namespace_name == about.namespace_name(),
                "it stays in its namespace");
  fuzz::require(!target->resource.kind.empty(), "it is about some kind");
  if (const auto* const event = std::get_if<dynamo::reconciler::EmitEvent>(&action)) {
    fuzz::require(!event->reason.empty() && !event->note.empty(), "an event says something");
    fuzz::require(event->note.size() <= kMaxNote, "a note is short");
    fuzz::require(!json::find_invalid_utf8(event->note), "a note is UTF-8");
    return;
  }
  if (action_kind_of(action) == ActionKind::kDelete) return;
  fuzz::require(!json::parse_copy(body_of(action))->error, "a body is JSON");
}

void check_action(const Action& action, const kube::Object& about) {
  check_content(action, about);
  fuzz::require(action_kind_of(action) != ActionKind::kDelete &&
                    action_kind_of(action) != ActionKind::kCreate,
                "nothing is made or deleted");
}

void check_request(const models::EngineRequest& request) {
  const std::string_view path = request.path;
  fuzz::require(path.starts_with(models::kLoraPath), "a request is about adapters");
  fuzz::require(
      request.method == kube::HttpMethod::kPost || path.size() > models::kLoraPath.size() + 1,
      "never about all of them");
  for (const char letter : path) {
    fuzz::require(letter > ' ' && letter < '\x7f' && letter != '?' && letter != '#',
                  "a path is escaped");
  }
  fuzz::require(path.find("/../") == std::string_view::npos && !path.ends_with("/.."),
                "a path goes nowhere else");
  fuzz::require(!request.host.empty(), "a request goes to somebody");
}

void check_model(json::Value input) {
  const kube::Object model = object_of(input["model"]);
  std::vector<kube::Object> slices;
  const json::Value given = input["slices"];
  for (const json::Value each : given.elements()) {
    if (slices.size() < kMaxSlices) slices.push_back(object_of(each));
  }
  const models::ObservedState observed{
      .model = model, .slices = slices, .invalid = input["invalid"].string_or_empty()};
  const models::RequestPlan request_plan = models::plan_requests(observed);
  for (const Action& each : request_plan.actions) check_action(each, model);
  for (const models::EngineRequest& each : request_plan.requests) check_request(each);
  fuzz::require(request_plan.requests.empty() ||
                    request_plan.requests.size() == request_plan.endpoints.all.size(),
                "each endpoint is asked, or none");
  if (request_plan.next == models::RequestPlan::NextStep::kNothing) return;
  std::vector<models::EngineAnswer> answers;
  const json::Value statuses = input["answers"];
  for (const json::Value each : statuses.elements()) {
    if (answers.size() == request_plan.requests.size()) break;
    models::EngineAnswer answer;
    answer.was_asked = true;
    answer.status = each.integer() == 200 ? 200 : 0;
    answer.problem = each.string_or_empty();
    answers.push_back(answer);
  }
  const bool goes = request_plan.next == models::RequestPlan::NextStep::kCleanUp;
  const models::ResultPlan result_plan =
      goes ? models::plan_clean_up(observed, request_plan, answers)
           : models::plan_result(observed, request_plan, answers, kNow);
  for (const Action& each : result_plan.actions) {
    check_action(each, model);
    fuzz::require(target_of(each)->name == model.name(), "it is about the model");
  }
  fuzz::require(!goes || action_kind_of(result_plan.actions.front()) == ActionKind::kJsonPatch,
                "what goes is not held up");
}

void check_adapter(json::Value input) {
  const kube::Object adapter = object_of(input["adapter"]);
  const kube::Object graph = object_of(input["graph"]);
  const adapters::AdapterPlan plan = adapters::plan(
      {.adapter = adapter, .graph = input["graph"].is_object() ? &graph : nullptr}, kNow);
  for (const Action& each : plan.actions) {
    check_action(each, adapter);
    const ActionKind kind = action_kind_of(each);
    const bool is_of_graph = kind == ActionKind::kMergePatch;
    fuzz::require(is_of_graph == plan.scales || kind != ActionKind::kMergePatch,
                  "the graph is written to be scaled");
    fuzz::require(is_of_graph || kind == ActionKind::kEvent || subresource_of(each) == "status",
                  "only the autoscaler writes the adapter's spec");
  }
  fuzz::require(plan.missing.empty() || !plan.scales, "what is missing is not scaled");
}

void check_checkpoint(json::Value input) {
  checkpoints::ObservedState observed;
  observed.object = object_of(input["checkpoint"]);
  observed.environment.profile = dynamo::render::default_operator_profile();
  observed.now = kNow;
  const kube::Object job = object_of(input["job"]);
  if (job.kind() == "Job") observed.objects.add(job);
  observed.same_hash = {object_of(input["other"])};
  for (const auto& plan :
       {checkpoints::plan(observed), checkpoints::plan_after_failure(observed, "it failed")}) {
    std::size_t statuses = 0;
    for (const Action& each : plan.actions) {
      check_content(each, observed.object);
      const auto& target = *target_of(each);
      const bool is_of_job = action_kind_of(each) == ActionKind::kCreate ||
                             action_kind_of(each) == ActionKind::kDelete;
      fuzz::require(!is_of_job || (target.resource.kind == "Job" &&
                                   target.name == checkpoints::job_name_of(observed.object)),
                    "only its Job is made or deleted");
      if (subresource_of(each) == "status") ++statuses;
    }
    fuzz::require(statuses <= 1, "the status is written once");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = json::parse_copy(fuzz::as_text(data, size));
  if (input->error) return 0;
  check_model(input->root());
  check_adapter(input->root());
  check_checkpoint(input->root());
  return 0;
}

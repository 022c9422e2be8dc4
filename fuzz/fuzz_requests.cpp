// Planning ends for any state of a request, its Job, its result and its graph. Actions concern only
// the request and the objects created for it. Each object is created in one step of the request,
// and only if nothing refuses it. A plan that asks for the next step writes something.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "desired/kinds.hpp"
#include "fuzz/check.hpp"
#include "json/scan.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/request/diagnosis.hpp"
#include "reconciler/request/generated.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/request/prerequisites.hpp"
#include "reconciler/request/result.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "render/component/names.hpp"
#include "text/names.hpp"

namespace api = dynamo::api;
namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace kube = dynamo::kube;
namespace render = dynamo::render;
namespace reconciler = dynamo::reconciler;
namespace requests = dynamo::reconciler::request;

using reconciler::Action;
using reconciler::ActionKind;
using reconciler::Plan;
using reconciler::PlanOutcome;
using reconciler::Target;
using requests::ObservedState;
using requests::RequestStep;

namespace {

constexpr std::size_t kMaxNote = 1'024;  // note of an Event, the API server's limit
constexpr std::size_t kMaxObjects = 16;
constexpr std::string_view kConfigMap = "ConfigMap";
constexpr std::string_view kJob = "Job";
// Created next to the Job, unless the operator is restricted to a namespace.
constexpr std::array<std::string_view, 2> kAccess = {"ServiceAccount", "RoleBinding"};

// 2026-02-03T04:05:06Z
const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

kube::Object object_of(json::Value value) {
  auto object = kube::Object::parse(value.is_object() ? json::to_text(value) : "{}");
  return object ? *object : kube::Object();
}

std::vector<kube::Object> objects_of(json::Value list) {
  std::vector<kube::Object> objects;
  for (const json::Value each : list.elements()) {
    if (objects.size() == kMaxObjects) break;
    objects.push_back(object_of(each));
  }
  return objects;
}

api::GraphDeploymentRequest view_of(const ObservedState& observed) {
  return api::GraphDeploymentRequest{observed.object.root()};
}

std::string job_name_of(const ObservedState& observed) {
  return render::profiling_job_name(observed.object.name()).str();
}

bool is_access(std::string_view kind) {
  return std::ranges::find(kAccess, kind) != kAccess.end();
}

// --- Actions.

void check_event(const reconciler::EmitEvent& event) {
  fuzz::require(!event.reason.empty() && !event.note.empty(), "an event has a reason and a note");
  fuzz::require(event.note.size() <= kMaxNote, "a note is short");
  fuzz::require(!json::find_invalid_utf8(event.note), "a note is UTF-8");
}

// Fields of the request that its controller may write.
void check_write_of_request(const Action& action) {
  const auto body = json::parse_copy(body_of(action));
  const json::Value root = body->root();
  for (const json::Value operation : root.elements()) {
    fuzz::require(operation["path"].string_or_empty().starts_with("/metadata/"),
                  "only metadata is written with a JSON patch");
  }
  for (const json::Member member : root.members()) {
    fuzz::require(member.name == "metadata" || member.name == "status",
                  "the spec of the request belongs to its user");
  }
  fuzz::require(!root["status"].exists() || subresource_of(action) == "status",
                "the status is a subresource");
}

void check_job(const ObservedState& observed, const Target& target) {
  fuzz::require(requests::step_of(observed.object) == RequestStep::kStartJob,
                "a pending request gets its Job");
  fuzz::require(observed.has_free_slot, "a Job needs a free slot");
  fuzz::require(observed.errors.empty() || !requests::is_edited(observed.object),
                "an invalid edit gets no Job");
  fuzz::require(target.name == job_name_of(observed), "the Job has the name of its request");
  fuzz::require(observed.objects.find(kJob, target.name) == nullptr, "no other Job has the name");
}

void check_graph(const ObservedState& observed, const Target& target, json::Value body) {
  fuzz::require(requests::step_of(observed.object) == RequestStep::kDeploy,
                "a deploying request gets its graph");
  fuzz::require(observed.object.root()["spec"]["autoApply"].boolean().value_or(false),
                "the user applies the graph without autoApply");
  fuzz::require(!observed.graph && observed.other_request.name.empty(),
                "no other graph has the name");
  fuzz::require(observed.refused_namespace.empty(), "the namespace is served");
  fuzz::require(target.namespace_name == requests::target_namespace(view_of(observed)),
                "the request names the namespace of its graph");
  fuzz::require(body["metadata"]["labels"][requests::kRequestName].string_or_empty() ==
                    observed.object.name(),
                "a graph names its request");
  fuzz::require(body["spec"].is_object(), "a graph has a spec");
}

void check_config_map(const ObservedState& observed, const Target& target) {
  fuzz::require(requests::step_of(observed.object) == RequestStep::kProfile &&
                    observed.extraction && observed.extraction->result,
                "ConfigMaps come from a result");
  fuzz::require(observed.denial.empty() && observed.refused_namespace.empty(),
                "a refused graph creates nothing");
  fuzz::require(target.namespace_name == requests::target_namespace(view_of(observed)),
                "ConfigMaps are in the namespace of the graph");
  fuzz::require(!observed.existing_config_maps.contains(target.name) &&
                    !observed.refused_config_maps.contains(target.name),
                "a ConfigMap is created once");
}

void check_creation(const Action& action, const ObservedState& observed) {
  const Target& target = *target_of(action);
  const auto body = json::parse_copy(body_of(action));
  const json::Value metadata = body->root()["metadata"];
  fuzz::require(body->root()["kind"].string_or_empty() == target.resource.kind &&
                    metadata["name"].string_or_empty() == target.name &&
                    metadata["namespace"].string_or_empty() == target.namespace_name,
                "a body is the object that the action names");
  const std::string_view kind = target.resource.kind;
  if (kind == kJob) {
    check_job(observed, target);
  } else if (kind == reconciler::kGraphs.kind) {
    check_graph(observed, target, body->root());
  } else if (kind == kConfigMap) {
    check_config_map(observed, target);
  } else {
    fuzz::require(is_access(kind) && !observed.environment.namespace_restricted,
                  "nothing else is created");
  }
  fuzz::require(action_kind_of(action) == ActionKind::kCreate || is_access(kind),
                "an apply would change objects of others");
}

void check_deletion(const Target& target, const ObservedState& observed) {
  const std::string_view kind = target.resource.kind;
  fuzz::require(!target.uid.empty(), "only an observed object is deleted");
  fuzz::require(target.namespace_name == observed.object.namespace_name(),
                "deletions stay in the namespace");
  const bool is_job = kind == kJob && target.name == job_name_of(observed);
  const bool is_output = kind == kConfigMap &&
                         target.name == render::profiling_output_name(observed.object.name()).str();
  fuzz::require(is_job || is_output || is_access(kind),
                "only the Job, its output and its account are deleted");
  if (!is_job) return;
  const auto controller = kube::controller_of(*observed.objects.find(kJob, target.name));
  fuzz::require(controller && controller->uid == observed.object.uid(),
                "a Job of others is not deleted");
}

// The graph, or a ConfigMap that the profiler has generated.
bool creates_generated(const Action& action) {
  if (action_kind_of(action) != ActionKind::kCreate) return false;
  const std::string_view kind = target_of(action)->resource.kind;
  return kind == reconciler::kGraphs.kind || kind == kConfigMap;
}

void check_action(const Action& action, const ObservedState& observed) {
  const Target* const target = target_of(action);
  fuzz::require(target != nullptr && !target->name.empty(), "an action is about an object");
  fuzz::require(
      creates_generated(action) || target->namespace_name == observed.object.namespace_name(),
      "all other actions stay in the namespace");
  const bool is_request = target->resource.kind == requests::kRequests.kind;
  fuzz::require(!is_request || (target->name == observed.object.name() &&
                                target->namespace_name == observed.object.namespace_name()),
                "no other request is written");
  if (const auto* const event = std::get_if<reconciler::EmitEvent>(&action)) {
    return check_event(*event);
  }
  if (action_kind_of(action) == ActionKind::kDelete) return check_deletion(*target, observed);
  fuzz::require(!json::parse_copy(body_of(action))->error, "a body is JSON");
  if (is_request) {
    fuzz::require(action_kind_of(action) == ActionKind::kMergePatch ||
                      action_kind_of(action) == ActionKind::kJsonPatch,
                  "a request is patched");
    return check_write_of_request(action);
  }
  if (action_kind_of(action) == ActionKind::kMergePatch) {
    fuzz::require(is_access(target->resource.kind), "no object of others is patched");
    return;
  }
  check_creation(action, observed);
}

void check_plan(const Plan& plan, const ObservedState& observed) {
  std::size_t statuses = 0;
  std::size_t writes = 0;
  for (const Action& each : plan.actions) {
    check_action(each, observed);
    if (subresource_of(each) == "status") ++statuses;
    if (action_kind_of(each) != ActionKind::kEvent) ++writes;
  }
  fuzz::require(statuses <= 1, "the status is written once");
  fuzz::require(plan.outcome == PlanOutcome::kDone || !plan.why.empty(),
                "an outcome other than kDone has a reason");
  const bool asks_for_next = plan.outcome == PlanOutcome::kWait && plan.pause.count() == 0;
  fuzz::require(!asks_for_next || writes > 0, "no plan repeats itself without a pause");
}

// --- Observed states.

// The object and the flags of the operator.
ObservedState observe_request(json::Value input) {
  ObservedState observed;
  observed.object = object_of(input["request"]);
  observed.environment.profile = render::default_operator_profile();
  observed.environment.namespace_restricted = input["restricted"].boolean().value_or(true);
  observed.environment.profiling_cluster_role = input["role"].string_or_empty();
  observed.now = kNow;
  observed.reported_generation = input["reported"].integer().value_or(0);
  observed.max_jobs = 1;
  observed.has_free_slot = input["slot"].boolean().value_or(true);
  return observed;
}

// Objects that the API server stores have a name and a uid.
void add_objects(json::Value input, ObservedState& observed) {
  for (const kube::Object& each : objects_of(input["objects"])) {
    if (!each.name().empty() && !each.uid().empty()) observed.objects.add(each);
  }
  const kube::Object graph = object_of(input["graph"]);
  if (!graph.name().empty()) observed.graph = graph;
  observed.other_request = {
      .namespace_name = std::string(observed.object.namespace_name()),
      .name = std::string(input["other"].string_or_empty()),
  };
}

void add_errors(json::Value input, ObservedState& observed) {
  const json::Value errors = input["errors"];
  for (const json::Value each : errors.elements()) {
    if (!each.string_or_empty().empty()) observed.errors.emplace_back(each.string_or_empty());
  }
  if (!input["validated"].boolean().value_or(false)) return;
  observed.errors =
      reconciler::errors_of(api::Kind::kGraphDeploymentRequest, observed.object.root(),
                            observed.object.namespace_name(), observed.object.name());
  for (std::string& each : requests::missing_prerequisites(view_of(observed), observed.objects)) {
    observed.errors.push_back(std::move(each));
  }
}

// The profiler leaves its pods, or a ConfigMap.
void add_result(json::Value input, ObservedState& observed) {
  const kube::Object* const job = observed.objects.find(kJob, job_name_of(observed));
  if (job != nullptr && requests::job_state_of(*job) != requests::JobState::kComplete) {
    const std::vector<kube::Object> pods = objects_of(input["pods"]);
    observed.pods = requests::job_state_of(*job) == requests::JobState::kFailed
                        ? requests::describe_failed_pods(pods)
                        : requests::describe_waiting_pods(pods);
  }
  if (input["output"].is_object()) {
    observed.extraction = requests::extract_result(object_of(input["output"]),
                                                   requests::result_key(view_of(observed)));
  } else if (input["output"].exists()) {
    observed.extraction = requests::missing_result("dgdr-output");
  }
  observed.denial = input["denial"].string_or_empty();
  observed.refused_namespace = input["refused_namespace"].string_or_empty();
  const json::Value existing = input["existing"];
  for (const json::Value each : existing.elements()) {
    observed.existing_config_maps.emplace(each.string_or_empty());
  }
  const json::Value refused = input["refused"];
  for (const json::Member each : refused.members()) {
    observed.refused_config_maps.emplace(each.name, each.value.string_or_empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = json::parse_copy(fuzz::as_text(data, size));
  if (input->error) return 0;
  ObservedState observed = observe_request(input->root());
  // The API server stores no other names.
  if (!dynamo::text::is_dns_subdomain(observed.object.name()) ||
      !dynamo::text::is_dns_label(observed.object.namespace_name())) {
    return 0;
  }
  add_objects(input->root(), observed);
  add_errors(input->root(), observed);
  add_result(input->root(), observed);
  check_plan(requests::plan(observed), observed);
  const Plan failed = requests::plan_after_failure(observed, "refused");
  fuzz::require(failed.outcome == PlanOutcome::kRetry, "a failure is retried");
  check_plan(failed, observed);
  return 0;
}

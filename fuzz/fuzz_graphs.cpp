// Planning ends for any state of a named graph or component and its namespace. Actions concern only
// that object or its owned objects, in its namespace; deletions name the uid; and each body is the
// object that the action names.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "desired/kinds.hpp"
#include "fuzz/check.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/graph/plan.hpp"
#include "reconciler/verdict/operator_validator.hpp"

namespace api = dynamo::api;
namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace kube = dynamo::kube;
namespace render = dynamo::render;
namespace reconciler = dynamo::reconciler;

using reconciler::Action;
using reconciler::ActionKind;
using reconciler::Plan;

namespace {

constexpr std::size_t kMaxDesiredObjects = 16;
constexpr std::size_t kMaxNote = 1'024;  // note of an Event, the API server's limit

// 2026-02-03T04:05:06Z
const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

kube::Object object_of(json::Value value) {
  auto object = kube::Object::parse(value.is_object() ? json::to_text(value) : "{}");
  return object ? *object : kube::Object();
}

void check_body(const Action& action, const reconciler::Target& target) {
  const auto body = json::parse_copy(body_of(action));
  fuzz::require(!body->error, "a body is JSON");
  if (action_kind_of(action) != ActionKind::kApply && action_kind_of(action) != ActionKind::kCreate)
    return;
  const json::Value metadata = body->root()["metadata"];
  fuzz::require(body->root()["kind"].string_or_empty() == target.resource.kind,
                "a body is of the kind it is sent to");
  fuzz::require(metadata["name"].string_or_empty() == target.name,
                "a body has the name it is sent to");
  fuzz::require(metadata["namespace"].string_or_empty() == target.namespace_name,
                "a body is of the namespace it is sent to");
}

void check_action(const Action& action, const kube::Object& about) {
  const reconciler::Target* const target = target_of(action);
  if (target == nullptr) return;  // etcd's gateway, which belongs to the operator
  const bool is_own = target->resource.kind == about.kind() && target->name == about.name();
  fuzz::require(target->namespace_name == about.namespace_name(), "it stays in its namespace");
  fuzz::require(!target->name.empty(), "it is about somebody");
  fuzz::require(is_own || reconciler::find_managed_kind(target->resource.kind) != nullptr,
                "it is about the object or an owned object");
  if (const auto* const event = std::get_if<reconciler::EmitEvent>(&action)) {
    fuzz::require(!event->reason.empty() && !event->note.empty(), "an event says something");
    fuzz::require(event->note.size() <= kMaxNote, "a note is short");
  } else if (action_kind_of(action) == ActionKind::kDelete) {
    fuzz::require(!target->uid.empty(), "only what was seen is deleted");
  } else {
    check_body(action, *target);
  }
}

void check_plan(const Plan& plan, const kube::Object& about) {
  for (const Action& each : plan.actions) check_action(each, about);
  fuzz::require(plan.outcome == reconciler::PlanOutcome::kDone || !plan.why.empty(),
                "an outcome other than kDone has a reason");
  fuzz::require(plan.outcome != reconciler::PlanOutcome::kWait || plan.pause.count() > 0,
                "it never waits for no time");
}

template <typename ObservedState>
ObservedState observed(json::Value input, api::Kind kind) {
  ObservedState result;
  result.object = object_of(input["object"]);
  result.environment.profile = render::default_operator_profile();
  if (input["lws"].boolean().value_or(false))
    result.environment.profile.pathway = render::Pathway::kLws;
  if (input["grove"].boolean().value_or(false))
    result.environment.profile.pathway = render::Pathway::kGrove;
  result.environment.namespace_restricted = input["restricted"].boolean().value_or(true);
  result.now = kNow;
  // A valid object, or one that is reconciled although it is not.
  if (input["validated"].boolean().value_or(false)) {
    result.errors = reconciler::errors_of(kind, result.object.root(),
                                          result.object.namespace_name(), result.object.name());
  }
  const json::Value objects = input["children"];
  std::size_t count = 0;
  for (const json::Value each : objects.elements()) {
    const kube::Object object = object_of(each);
    if (object.name().empty() || object.uid().empty()) continue;  // never stored
    if (++count <= kMaxDesiredObjects) result.objects.add(object);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = json::parse_copy(fuzz::as_text(data, size));
  if (input->error) return 0;
  const json::Value root = input->root();
  const auto graph = observed<reconciler::graph::ObservedState>(root, api::Kind::kGraphDeployment);
  // The API server stores no object without a name and a namespace.
  if (graph.object.name().empty() || graph.object.namespace_name().empty()) return 0;
  if (graph.object.kind() == reconciler::kGraphs.kind) {
    check_plan(reconciler::graph::plan(graph), graph.object);
    check_plan(reconciler::graph::plan_after_failure(graph, "refused"), graph.object);
    return 0;
  }
  if (graph.object.kind() != reconciler::kComponents.kind) return 0;
  const auto component =
      observed<reconciler::component::ObservedState>(root, api::Kind::kComponentDeployment);
  check_plan(reconciler::component::plan(component), component.object);
  check_plan(reconciler::component::plan_after_failure(component, "refused"), component.object);
  return 0;
}

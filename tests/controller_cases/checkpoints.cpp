// Runs the plans of checkpoints over the store of a case.
#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

#include "api/kind.hpp"
#include "desired/action.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "reconciler/checkpoint/plan.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/operator.hpp"

namespace dynamo::cases {
namespace {

namespace checkpoints = reconciler::checkpoint;

checkpoints::ObservedState observe(const ReconcileInputs& inputs, const Value& live,
                                   const Operator& made) {
  checkpoints::ObservedState observed;
  observed.object = object_of(live);
  observed.environment = made.environment;
  observed.now = std::chrono::sys_days(std::chrono::January / 1 / 2026);
  if (checkpoints::may_create_job(observed.object)) {
    observed.errors = reconciler::errors_of(api::Kind::kCheckpoint, observed.object.root(),
                                            inputs.space, observed.object.name());
  }
  for (const auto& [key, object] : inputs.store.objects()) {
    if (text(member(member(object, "metadata"), "namespace")) != inputs.space) continue;
    const std::string_view kind = text(member(object, "kind"));
    if (kind == "Job") observed.objects.add(object_of(object));
    if (kind == checkpoints::kCheckpoints.kind) observed.same_hash.push_back(object_of(object));
  }
  return observed;
}

}  // namespace

ReconcileOutput reconcile_checkpoint(ReconcileInputs& inputs, std::string_view name) {
  ReconcileOutput output;
  const std::string key = Store::key(checkpoints::kCheckpoints.kind, inputs.space, name);
  const Object* const live = inputs.store.find(key);
  if (live == nullptr) return output;
  const Operator made = operator_of(inputs.flags, inputs.store, inputs.space);
  checkpoints::ObservedState observed = observe(inputs, *live, made);
  // The controller remembers the ignored edit that it has reported.
  const std::string generation = std::to_string(kube::generation_of(observed.object));
  std::string& reported = inputs.reported[key];
  if (reported == generation) {
    observed.reported_generation = kube::generation_of(observed.object);
  }
  const reconciler::Plan plan = checkpoints::plan(observed);
  const bool ignores_edit = std::ranges::any_of(plan.actions, [](const reconciler::Action& each) {
    const auto* const event = std::get_if<reconciler::EmitEvent>(&each);
    return event != nullptr && event->reason == checkpoints::kSpecChangeIgnored;
  });
  if (ignores_edit) reported = generation;
  inputs.store.execute(plan, output);
  const bool again = plan.outcome == reconciler::PlanOutcome::kRetry ||
                     plan.outcome == reconciler::PlanOutcome::kWait;
  if (again) output.result = "error";
  const render::DesiredObjects objects = render::desired_objects_of(
      api::Checkpoint{observed.object.root()}, inputs.space, observed.environment);
  output.refuses = objects.refused.has_value();
  for (const render::DesiredObject& desired : objects.items) {
    output.desired.insert_or_assign(Store::key(desired.kind, inputs.space, desired.name),
                                    parsed(desired.manifest));
  }
  return output;
}

}  // namespace dynamo::cases

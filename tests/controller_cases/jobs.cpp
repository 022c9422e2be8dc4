// Checkpoints. Job states are not implemented yet: the first reconcile accepts a new
// object, the second creates the job, and later ones create nothing.
#include "desired/desired_objects_plan.hpp"
#include "json/parser.hpp"
#include "kube/object/resource.hpp"
#include "manifests/desired_objects.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/operator.hpp"

namespace dynamo::cases {
namespace {

template <typename Kind>
ReconcileOutput make_job(ReconcileInputs& inputs, std::string_view kind, std::string_view name) {
  ReconcileOutput output;
  output.unsupported = "the states of " + std::string(kind);
  const std::string key = Store::key(kind, inputs.space, name);
  const Object* const live = inputs.store.find(key);
  if (live == nullptr || !member(*live, "status").IsNull() || ++inputs.reconcile_counts[key] != 2) {
    return output;
  }
  const auto document = json::parse_copy(text_of(*live));
  const Operator made = operator_of(inputs.flags, inputs.store, inputs.space);
  const render::DesiredObjects objects =
      render::desired_objects_of(Kind{document->root()}, inputs.space, made.environment);
  const reconciler::ObservedObjects nothing;
  const std::string uid(text(member(member(*live, "metadata"), "uid")));
  const reconciler::Owner owner{.resource = {"nvidia.com", "v1alpha1", "", kind},
                                .namespace_name = inputs.space,
                                .name = name,
                                .uid = uid};
  std::vector<reconciler::Action> actions;
  reconciler::DesiredObjectsPlan plan(owner, nothing, actions);
  for (const render::DesiredObject& desired : objects.items) {
    // Deletes objects of an earlier job, regardless of their creator.
    if (!desired.wanted) inputs.store.erase(Store::key(desired.kind, inputs.space, desired.name));
    plan.add(desired);
  }
  for (const reconciler::Action& action : actions) inputs.store.act(action, output);
  return output;
}

}  // namespace

ReconcileOutput reconcile_checkpoint(ReconcileInputs& inputs, std::string_view name) {
  return make_job<api::Checkpoint>(inputs, "DynamoCheckpoint", name);
}

}  // namespace dynamo::cases

// Runs the plans of graphs and components over the store of a case.
#include <algorithm>
#include <chrono>

#include "api/kind.hpp"
#include "desired/graph_cliques.hpp"
#include "desired/graph_services.hpp"
#include "desired/kinds.hpp"
#include "kube/object/object.hpp"
#include "manifests/desired_objects.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/graph/plan.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "render/component/labels.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/operator.hpp"

namespace dynamo::cases {
namespace {

bool is_of_namespace(const Value& object, const std::string& space) {
  const std::string_view found = text(member(member(object, "metadata"), "namespace"));
  return found == space || text(member(object, "kind")) == "ClusterRole";
}

// The queue of KAI that is looked up; "" if KAI is not served.
std::string queue_of(const ReconcileInputs& inputs, const Value& live) {
  const Value& served = member(inputs.flags, "kai");
  if (!served.IsTrue() && text(served) != "true") return {};
  if (!runs_by_grove(inputs.flags, live)) return {};
  const auto parsed = json::parse_copy(text_of(live));
  return std::string(render::queue_of(parsed->root()["metadata"]["annotations"]));
}

void observe_grove(const ReconcileInputs& inputs, const Value& live,
                   reconciler::graph::ObservedState& observed) {
  for (const auto& [at, replicas] : inputs.store.scales()) {
    const std::size_t name = at.find('/') + 1;
    const bool is_group = at.starts_with(reconciler::kScalingGroups.plural);
    observed.scales.push_back(
        {.resource = is_group ? reconciler::kScalingGroups : reconciler::kPodCliques,
         .name = at.substr(name),
         .uid = "scaled",
         .replicas = replicas});
  }
  const std::string queue = queue_of(inputs, live);
  if (queue.empty()) return;
  const Value& queues = member(inputs.flags, "kai-queues");
  const bool exists =
      queues.IsArray() && std::ranges::any_of(queues.GetArray(), [&queue](const Value& each) {
        return text(each) == queue;
      });
  if (!exists) observed.missing_queue = queue;
}

// The scales that are compared with the graph, once its set is as desired.
void add_scale_lookups(const api::GraphDeployment& graph, ReconcileOutput& output) {
  const json::Value services = graph.services();
  for (const json::Member service : services.members()) {
    if (!service.value["replicas"].integer()) continue;
    const kube::Resource& resource = reconciler::graph::clique_resource_of(service.value);
    output.scale_calls.push_back(
        "GET " + std::string(resource.plural) + "/" +
        reconciler::graph::clique_name(graph.metadata().name(), service.name));
  }
}

template <typename ObservedState>
ObservedState observe(const ReconcileInputs& inputs, api::Kind kind, const Value& live,
                      Operator& made) {
  ObservedState observed;
  observed.object = object_of(live);
  observed.errors =
      reconciler::errors_of(kind, observed.object.root(), inputs.space, observed.object.name());
  made = operator_of(inputs.flags, inputs.store, inputs.space);
  observed.environment = made.environment;
  if (kind == api::Kind::kComponentDeployment || !runs_by_grove(inputs.flags, live)) {
    observed.environment.profile.pathway = component_pathway(inputs.flags);
  }
  for (const auto& [key, object] : inputs.store.objects()) {
    if (is_of_namespace(object, inputs.space)) observed.objects.add(object_of(object));
  }
  // The role exists even if the operator has no flag for it.
  const std::string& role = observed.environment.planner_cluster_role;
  if (member(inputs.flags, "planner-cluster-role-name").IsNull() && !role.empty()) {
    observed.objects.add(
        object_of(parsed(R"({"kind":"ClusterRole","metadata":{"name":")" + role + "\"}}")));
  }
  if constexpr (requires { observed.scales; }) observe_grove(inputs, live, observed);
  observed.now = std::chrono::sys_days(std::chrono::January / 1 / 2026);
  return observed;
}

ReconcileOutput act(ReconcileInputs& inputs, const reconciler::Plan& plan) {
  ReconcileOutput output;
  inputs.store.execute(plan, output);
  const bool again = plan.outcome == reconciler::PlanOutcome::kRetry ||
                     plan.outcome == reconciler::PlanOutcome::kWait;
  if (again) output.result = "error";
  return output;
}

// Records the desired objects, including those that cannot be created.
void record_desired(const render::DesiredObjects& objects, const std::string& space,
                    ReconcileOutput& output) {
  output.refuses = objects.refused.has_value();
  for (const render::DesiredObject& desired : objects.items) {
    if (!desired.wanted) continue;
    output.desired.insert_or_assign(Store::key(desired.kind, space, desired.name),
                                    parsed(desired.manifest));
  }
}

}  // namespace

ReconcileOutput reconcile_graph(ReconcileInputs& inputs, std::string_view name) {
  const Object* const live =
      inputs.store.find(Store::key(reconciler::kGraphs.kind, inputs.space, name));
  if (live == nullptr) return {};
  Operator made;
  const auto observed =
      observe<reconciler::graph::ObservedState>(inputs, api::Kind::kGraphDeployment, *live, made);
  const api::GraphDeployment graph{observed.object.root()};
  render::RenderEnvironment environment = observed.environment;
  environment.restarts =
      reconciler::graph::restart_of(graph, observed.object.uid(), observed.objects,
                                    environment.profile.pathway)
          .marks;
  const std::string queue = queue_of(inputs, *live);
  ReconcileOutput output = act(inputs, reconciler::graph::plan(observed));
  if (!queue.empty()) {
    output.http_calls.push_back("GET /apis/scheduling.run.ai/v2/queues/" + queue);
  }
  const std::string set = Store::key(reconciler::kPodCliqueSets.kind, inputs.space, name);
  if (inputs.store.find(set) != nullptr) add_scale_lookups(graph, output);
  record_desired(render::desired_objects_of(graph, inputs.space, environment), inputs.space,
                 output);
  return output;
}

ReconcileOutput reconcile_component(ReconcileInputs& inputs, std::string_view name) {
  const Object* const live =
      inputs.store.find(Store::key(reconciler::kComponents.kind, inputs.space, name));
  if (live == nullptr) return {};
  Operator made;
  auto observed = observe<reconciler::component::ObservedState>(
      inputs, api::Kind::kComponentDeployment, *live, made);
  observed.etcd_url = "https://etcd:2379";
  ReconcileOutput output = act(inputs, reconciler::component::plan(observed));
  record_desired(render::desired_objects_of(api::ComponentDeployment{observed.object.root()},
                                            inputs.space, observed.environment),
                 inputs.space, output);
  return output;
}

}  // namespace dynamo::cases

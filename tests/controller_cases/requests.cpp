// Runs the plan of requests over the store of a case.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.hpp"
#include "json/parser.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "reconciler/request/diagnosis.hpp"
#include "reconciler/request/generated.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/request/prerequisites.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "render/component/names.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/operator.hpp"

namespace dynamo::cases {
namespace {

namespace requests = reconciler::request;

class Observer {
 public:
  Observer(const ReconcileInputs& inputs, const kube::Object& request)
      : inputs_(inputs), view_(request.root()) {
    observed_.object = request;
    observed_.now = std::chrono::sys_days(std::chrono::January / 1 / 2026);
  }

  requests::ObservedState run(Operator& made) {
    made = operator_of(inputs_.flags, inputs_.store, inputs_.space);
    observed_.environment = made.environment;
    for (const auto& [key, object] : inputs_.store.objects()) {
      const std::string_view space = text(member(member(object, "metadata"), "namespace"));
      const bool is_visible =
          space == inputs_.space || text(member(object, "kind")) == "ClusterRole";
      if (is_visible) observed_.objects.add(object_of(object));
    }
    observed_.errors = reconciler::errors_of(api::Kind::kGraphDeploymentRequest, view_.value(),
                                             inputs_.space, observed_.object.name());
    for (std::string& each : requests::missing_prerequisites(view_, observed_.objects)) {
      observed_.errors.push_back(std::move(each));
    }
    observe_job();
    observe_graph();
    return std::move(observed_);
  }

 private:
  void observe_job() {
    const std::string name = render::profiling_job_name(observed_.object.name()).str();
    const kube::Object* const job = observed_.objects.find("Job", name);
    if (job == nullptr) return;
    const requests::JobState state = requests::job_state_of(*job);
    if (state == requests::JobState::kFailed) {
      std::vector<kube::Object> pods;
      for (const auto& [pod_name, pod] : observed_.objects.all("Pod")) {
        const json::Value labels = pod.root()["metadata"]["labels"];
        if (labels["job-name"].string_or_empty() == name) pods.push_back(pod);
      }
      observed_.pods = requests::describe_failed_pods(pods);
    }
    if (state == requests::JobState::kComplete) observe_result();
  }

  void observe_result() {
    const std::string output = render::profiling_output_name(observed_.object.name()).str();
    const kube::Object* const result = observed_.objects.find("ConfigMap", output);
    observed_.extraction = result == nullptr
                               ? requests::missing_result(output)
                               : requests::extract_result(*result, requests::result_key(view_));
    if (!observed_.extraction->result) return;
    const auto generated = json::parse_copy(observed_.extraction->result->graph);
    const auto graph = kube::Object::parse(requests::graph_manifest(view_, generated->root()));
    const std::vector<std::string> errors = reconciler::errors_of(
        api::Kind::kGraphDeployment, graph->root(), graph->namespace_name(), graph->name());
    for (const std::string& error : errors) observed_.denial += error;
    for (const auto& each : observed_.extraction->result->additional) {
      const std::string key = Store::key("ConfigMap", requests::target_namespace(view_), each.name);
      if (inputs_.store.find(key) != nullptr) observed_.existing_config_maps.insert(each.name);
    }
  }

  void observe_graph() {
    const bool is_created = requests::step_of(observed_.object) == requests::RequestStep::kFollow;
    const kube::ObjectKey key =
        is_created ? requests::created_graph(observed_.object)
                   : requests::target_graph(view_, view_.status()["generatedDeployment"]);
    const Object* const graph =
        inputs_.store.find(Store::key(reconciler::kGraphs.kind, key.namespace_name, key.name));
    if (graph == nullptr) return;
    observed_.graph = object_of(*graph);
    const kube::ObjectKey labelled = requests::labelled_request(*observed_.graph);
    const bool is_other =
        labelled != kube::key_of(observed_.object) &&
        inputs_.store.find(Store::key(requests::kRequests.kind, labelled.namespace_name,
                                      labelled.name)) != nullptr;
    if (is_other) observed_.other_request = labelled;
  }

  const ReconcileInputs& inputs_;
  const api::GraphDeploymentRequest view_;
  requests::ObservedState observed_;
};

std::string result_of_plan(const reconciler::Plan& plan) {
  switch (plan.outcome) {
    case reconciler::PlanOutcome::kRetry:
      return "error";
    case reconciler::PlanOutcome::kWait:
      if (plan.pause.count() == 0) return "requeue (rate limited)";
      return "requeue after " + std::to_string(plan.pause.count()) + "s";
    case reconciler::PlanOutcome::kDone:
    case reconciler::PlanOutcome::kRefused:
      break;
  }
  return "done";
}

}  // namespace

ReconcileOutput reconcile_request(ReconcileInputs& inputs, std::string_view name) {
  const std::string key = Store::key(requests::kRequests.kind, inputs.space, name);
  const Object* const live = inputs.store.find(key);
  if (live == nullptr) return {};
  const kube::Object object = object_of(*live);
  Operator made;
  requests::ObservedState observed = Observer(inputs, object).run(made);
  // The controller remembers the rejected edit that it has reported.
  const std::string generation = std::to_string(kube::generation_of(object));
  std::string& reported = inputs.reported[key];
  if (reported == generation) observed.reported_generation = kube::generation_of(object);
  const bool is_rejected = requests::step_of(object) == requests::RequestStep::kReject;
  reported = is_rejected ? generation : std::string();
  const reconciler::Plan plan = requests::plan(observed);
  ReconcileOutput output;
  output.result = result_of_plan(plan);
  inputs.store.execute(plan, output);
  const render::DesiredObjects desired = render::desired_objects_of(
      api::GraphDeploymentRequest{object.root()}, inputs.space, observed.environment);
  for (const render::DesiredObject& each : desired.items) {
    if (!each.wanted) continue;
    output.desired.insert_or_assign(Store::key(each.kind, inputs.space, each.name),
                                    parsed(each.manifest));
  }
  return output;
}

}  // namespace dynamo::cases

#include "tests/reconciler/fault_injection/scenario_fixture.hpp"

#include <memory>

#include "desired/retry_annotation.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/checkpoint/plan.hpp"
#include "tests/reconciler/fault_injection/grove_step.hpp"

namespace dynamo::reconciler {
namespace {

constexpr const char* kProfilingPrefix = "profile-";
constexpr const char* kProfilingRole = "profiling";

constexpr const char* kResult =
    "kind: DynamoGraphDeployment\nmetadata: {name: made}\n"
    "spec: {services: {Frontend: {componentType: frontend, replicas: 1, extraPodSpec: "
    "{mainContainer: {image: 'a:1'}}}}}\n"
    "---\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {k: v}\n";

std::string request_spec(bool applies) {
  return std::string(R"({"model":"m","backend":"vllm","autoApply":)") +
         (applies ? "true" : "false") +
         R"(,"profilingConfig":{"profilerImage":"p:1","config":{"sla":{"ttft":1}}}})";
}

constexpr const char* kCheckpointSpec =
    R"({"identity":{"model":"m","backendFramework":"vllm"},"job":{"podTemplateSpec":)"
    R"({"spec":{"containers":[{"name":"main","image":"i"}]}}}})";

constexpr const char* kAutoGraphSpec =
    R"({"backendFramework":"vllm","services":{"Work":{"componentType":"worker","replicas":1,)"
    R"("checkpoint":{"enabled":true,"mode":"Auto","identity":{"model":"m",)"
    R"("backendFramework":"vllm"}},"extraPodSpec":{"mainContainer":{"image":"a:1",)"
    R"("args":["python3 -m dynamo.vllm"]}}}}})";

constexpr const char* kGroveGraphSpec =
    R"({"backendFramework":"vllm","services":{"Front":{"componentType":"frontend","replicas":1,)"
    R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}},"Work":{"componentType":"worker",)"
    R"("replicas":2,"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"1"}},)"
    R"("extraPodSpec":{"mainContainer":{"image":"a:1","args":["python3 -m dynamo.vllm"]}}}}})";

bool has_retry(const kube::Object& object) {
  return !retry_of(object).empty();
}

// A write of the controllers of graphs and components.
bool is_of_graph(const kube::Request& request) {
  return request.target.find("fieldManager=dynamo-reconciler-graph") != std::string::npos ||
         request.target.find("fieldManager=dynamo-reconciler-component") != std::string::npos;
}

}  // namespace

std::string to_string(Scenario scenario) {
  switch (scenario) {
    case Scenario::kAppliedRequest:
      return "AppliedRequest";
    case Scenario::kClusterWideRequest:
      return "ClusterWideRequest";
    case Scenario::kRetriedRequest:
      return "RetriedRequest";
    case Scenario::kCheckpoint:
      return "Checkpoint";
    case Scenario::kRetriedCheckpoint:
      return "RetriedCheckpoint";
    case Scenario::kLateCheckpoint:
      return "LateCheckpoint";
    case Scenario::kAutoGraph:
      return "AutoGraph";
    case Scenario::kGroveGraph:
      break;
  }
  return "GroveGraph";
}

ScenarioFixture::ScenarioFixture(Scenario scenario) : scenario_(scenario) {
  if (scenario != Scenario::kGroveGraph) return;
  api::ClusterFacts facts;
  facts.grove_served = api::Fact::kYes;
  facts.kai_scheduler_served = api::Fact::kNo;
  facts.leader_worker_set_served = api::Fact::kNo;
  cluster_state.facts.publish(std::make_unique<const api::ClusterFacts>(facts));
}

kube::Resource ScenarioFixture::resource() const {
  switch (scenario_) {
    case Scenario::kAppliedRequest:
    case Scenario::kClusterWideRequest:
    case Scenario::kRetriedRequest:
      return kRequests;
    case Scenario::kAutoGraph:
    case Scenario::kGroveGraph:
      return kGraphs;
    default:
      return checkpoint::kCheckpoints;
  }
}

void ScenarioFixture::put_subject() {
  std::string spec = kCheckpointSpec;
  if (scenario_ == Scenario::kAppliedRequest) spec = request_spec(true);
  const bool is_cluster_wide = scenario_ == Scenario::kClusterWideRequest;
  if (is_cluster_wide || scenario_ == Scenario::kRetriedRequest) spec = request_spec(false);
  if (is_cluster_wide) {
    cluster.put({"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false},
                R"({"metadata":{"name":")" + std::string(kProfilingRole) + R"("}})");
  }
  if (scenario_ == Scenario::kAutoGraph) spec = kAutoGraphSpec;
  if (scenario_ == Scenario::kGroveGraph) spec = kGroveGraphSpec;
  cluster.put(resource(),
              R"({"metadata":{"name":")" + name() + R"(","namespace":"ml"},"spec":)" + spec + "}");
}

RenderSettings ScenarioFixture::settings() const {
  RenderSettings chosen = FaultInjectionFixture::settings();
  if (scenario_ == Scenario::kClusterWideRequest) {
    chosen.environment.namespace_restricted = false;
    chosen.environment.profiling_cluster_role = kProfilingRole;
  }
  return chosen;
}

void ScenarioFixture::advance_cluster() {
  FaultInjectionFixture::advance_cluster();
  if (scenario_ == Scenario::kGroveGraph) {
    advance_grove(cluster, kSpace);
    change_graph();
  }
  for (const kube::Object& job : cluster.all(kJobs)) advance_job(job);
  const auto found = subject();
  if (!is_retried() || !found || has_retry(*found) || progress() != "Failed") return;
  cluster.merge(
      resource(), kSpace, name(),
      R"({"metadata":{"annotations":{")" + std::string(kRetryAnnotation) + R"(":"again"}}})");
}

// The user scales and restarts the graph once it is ready.
void ScenarioFixture::change_graph() {
  const auto graph = subject();
  const bool is_changed = graph && graph->root()["spec"]["restart"].exists();
  if (!graph || is_changed || progress() != "successful") return;
  cluster.merge(kGraphs, kSpace, name(),
                R"({"spec":{"restart":{"id":"r1"},"services":{"Work":{"replicas":3}}}})");
}

bool ScenarioFixture::should_fail(const kube::Object& job) const {
  if (scenario_ == Scenario::kLateCheckpoint) return true;
  const auto found = subject();
  const auto owner = kube::controller_of(job);
  const bool is_owned = found && owner && owner->uid == found->uid();
  return is_retried() && is_owned && !has_retry(*found);
}

void ScenarioFixture::advance_job(const kube::Object& job) {
  const json::Value status = job.root()["status"];
  const auto merge = [&](const std::string& text) {
    cluster.merge(kJobs, kSpace, job.name(), R"({"status":)" + text + "}",
                  "kube-controller-manager");
  };
  if (!status.exists()) return merge(R"({"active":1,"ready":1})");
  if (status["conditions"].size() > 0) {
    const bool is_late = scenario_ == Scenario::kLateCheckpoint && progress() == "Failed";
    if (is_late && !status["succeeded"].exists()) merge(R"({"succeeded":1})");
    return;
  }
  if (should_fail(job)) {
    return merge(R"({"active":0,"failed":1,"conditions":[{"type":"Failed","status":"True",)"
                 R"("reason":"BackoffLimitExceeded","message":"it failed"}]})");
  }
  const std::string name(job.name());
  if (name.starts_with(kProfilingPrefix)) {
    put_result(name.substr(std::string(kProfilingPrefix).size()));
  }
  merge(R"({"active":0,"succeeded":1,"conditions":[{"type":"Complete","status":"True"}]})");
}

void ScenarioFixture::put_result(const std::string& request) {
  std::string text;
  json::Writer out(text);
  out.start_object().key("metadata").start_object();
  out.member("name", "dgdr-output-" + request).member("namespace", kSpace).end_object();
  out.key("data").start_object().member("config_with_planner.yaml", kResult).end_object();
  out.end_object();
  cluster.put(kube::kConfigMaps, text);
}

std::string ScenarioFixture::progress() const {
  const auto found = subject();
  if (!found) return "";
  const json::Value status = found->root()["status"];
  const bool has_phase = status["phase"].exists();
  return std::string(status[has_phase ? "phase" : "state"].string_or_empty());
}

void ScenarioFixture::expect_final_state() const {
  const auto found = subject();
  const json::Value status = found->root()["status"];
  EXPECT_EQ(progress(), is_graph() ? "successful" : "Ready") << json::to_text(status);
  if (scenario_ == Scenario::kAutoGraph) {
    EXPECT_EQ(status["checkpoints"]["Work"]["ready"].boolean(), true) << json::to_text(status);
  }
  if (scenario_ == Scenario::kGroveGraph) {
    EXPECT_EQ(status["restart"]["phase"].string(), "Completed") << json::to_text(status);
    EXPECT_EQ(status["services"]["Work"]["availableReplicas"].integer(), 3);
    EXPECT_TRUE(cluster.all(kComponents).empty());
  }
  const bool applies = scenario_ == Scenario::kAppliedRequest;
  EXPECT_EQ(find(kGraphs, "made").has_value(), applies);
  const bool is_cluster_wide = scenario_ == Scenario::kClusterWideRequest;
  const bool is_request = applies || is_cluster_wide || scenario_ == Scenario::kRetriedRequest;
  EXPECT_EQ(find(kube::kConfigMaps, "extra").has_value(), is_request);
  EXPECT_EQ(find(kBindings, "dgdr-profiling-job-binding").has_value(), is_cluster_wide);
  EXPECT_EQ(cluster.all(kJobs).size(), jobs());
}

std::vector<std::string> ScenarioFixture::state_of_all() const {
  std::vector<std::string> all = snapshot();
  const auto found = subject();
  if (!found) return all;
  const std::string uid = '"' + std::string(found->uid()) + '"';
  for (std::string& each : all) {
    const std::size_t at = each.find(uid);
    if (at != std::string::npos) each.replace(at, uid.size(), "UID");
  }
  return all;
}

void ScenarioFixture::settle_as_golden() {
  settle();
  EXPECT_EQ(state_of_all(), golden(scenario_).snapshot);
}

void ScenarioFixture::expect_one_job_per_attempt() const {
  for (const auto& [object, all] : uids()) {
    const bool has_two = is_retried() && object.starts_with("Job/");
    EXPECT_EQ(all.size(), has_two ? 2U : 1U) << object << " was created again";
  }
  EXPECT_EQ(cluster.all(kJobs).size(), jobs());
}

const ScenarioGolden& golden(Scenario scenario) {
  static std::map<Scenario, ScenarioGolden> runs;
  const auto found = runs.find(scenario);
  if (found != runs.end()) return found->second;
  ScenarioFixture fixture(scenario);
  ScenarioGolden run;
  fixture.start();
  fixture.transport.choose_outcome = [&run](std::size_t number, const kube::Request& request) {
    if (is_of_graph(request)) run.writes_of_graph.insert(number);
    return WriteOutcome::kDone;
  };
  fixture.settle();
  fixture.expect_final_state();
  fixture.expect_one_job_per_attempt();
  run.snapshot = fixture.state_of_all();
  run.writes = fixture.transport.writes;
  return runs.emplace(scenario, std::move(run)).first->second;
}

}  // namespace dynamo::reconciler

#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"

#include <algorithm>

#include "aio/pause.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/sorted_json.hpp"
#include "render/document/profile.hpp"

namespace dynamo::reconciler {
namespace {

std::string service(const std::string& type, const std::string& more) {
  return R"({"componentType":")" + type + R"(","replicas":1,)" + more +
         R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}})";
}

constexpr std::size_t kMaxJobs = 1;

kube::Response forbidden() {
  kube::Response response;
  response.status = 403;
  response.body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,)"
      R"("message":"a quota forbids it"})";
  return response;
}

kube::Error broken() {
  kube::Error error;
  error.failure = kube::FailureKind::kConnect;
  error.text = "the connection broke";
  return error;
}

std::vector<kube::Resource> all_resources() {
  std::vector<kube::Resource> all = {kGraphs, model::kModels, kRequests};
  for (const ManagedKind& each : kManagedKinds) all.push_back(each.resource);
  return all;
}

// Sorted by type: the order of writes does not matter.
std::string conditions_of(const kube::Object& object) {
  std::set<std::string> all;
  const auto conditions = kube::Conditions::read(object.root()["status"]["conditions"]);
  for (const kube::Condition& each : conditions.all()) {
    all.insert(" " + each.type + "=" + std::string(kube::to_string(each.status)) + "/" +
               each.reason);
  }
  std::string text;
  for (const std::string& each : all) text += each;
  return text;
}

// The order of members does not matter either.
std::string sorted(json::Value value) {
  std::string text;
  json::Writer out(text);
  render::write_sorted(out, value);
  return text;
}

std::string owner_names(const kube::Object& object) {
  std::string text;
  const json::Value owners = object.root()["metadata"]["ownerReferences"];
  for (const json::Value each : owners.elements()) {
    text += " <" + std::string(each["name"].string_or_empty());
  }
  return text;
}

}  // namespace

aio::Task<kube::Result<kube::Response>> FaultyTransport::send(kube::Request request) {
  if (request.method == kube::HttpMethod::kGet) co_return co_await inner_->send(std::move(request));
  ++writes;
  if (request.method == kube::HttpMethod::kDelete) ++deletes;
  const WriteOutcome chosen =
      choose_outcome ? choose_outcome(writes, request) : WriteOutcome::kDone;
  if (chosen == WriteOutcome::kRefused) co_return broken();
  if (chosen == WriteOutcome::kForbidden) co_return forbidden();
  while (chosen == WriteOutcome::kHeld && !is_released_) {
    const bool waited = co_await aio::pause(std::chrono::milliseconds(1));
    if (!waited) co_return broken();
  }
  auto answered = co_await inner_->send(std::move(request));
  if (chosen == WriteOutcome::kLost) co_return broken();
  co_return answered;
}

Process::Process(test::FakeCluster& cluster, kube::Client& client,
                 const ClusterState& cluster_state, const test::FakeClock& clock,
                 runtime::Logger& logger, std::shared_ptr<FakeEngineClient> engines,
                 const RenderSettings& settings) {
  reconcilers = validation::make(
      {.mode = validation::Mode::kReplacement,
       .reported_elsewhere = {api::Kind::kModel, api::Kind::kComponentDeployment,
                              api::Kind::kGraphDeployment, api::Kind::kGraphDeploymentRequest,
                              api::Kind::kCheckpoint}},
      cluster_state);
  reconcilers.push_back(std::make_unique<component::ComponentReconciler>(
      settings, cluster_state, std::make_shared<SilentEtcd>()));
  reconcilers.push_back(std::make_unique<graph::GraphReconciler>(settings, cluster_state));
  reconcilers.push_back(std::make_unique<scaling_adapter::ScalingAdapterReconciler>());
  reconcilers.push_back(std::make_unique<model::ModelReconciler>(std::move(engines),
                                                                 model::ModelReconcilerOptions{}));
  reconcilers.push_back(request::make(settings, cluster_state, kMaxJobs));
  reconcilers.push_back(checkpoint::make(settings, cluster_state));
  std::vector<WatchSpec> watched;
  for (const auto& each : reconcilers) {
    const auto& more = each->spec().watches;
    watched.insert(watched.end(), more.begin(), more.end());
  }
  cache.emplace(cluster, watched, logger);
  for (const auto& each : reconcilers) {
    contexts.push_back(std::make_unique<test::FakeReconcileContext>(*cache, client, clock, logger));
    contexts.back()->field_manager = "dynamo-reconciler-" + std::string(each->spec().name);
  }
}

RenderSettings FaultInjectionFixture::settings() const {
  RenderSettings chosen;
  chosen.environment.profile = render::default_operator_profile();
  chosen.environment.profile.checkpointing = api::Fact::kYes;
  chosen.environment.namespace_restricted = true;
  return chosen;
}

FaultInjectionFixture::FaultInjectionFixture() {
  api::ClusterFacts facts;
  facts.grove_served = api::Fact::kNo;
  facts.leader_worker_set_served = api::Fact::kNo;
  cluster_state.facts.publish(std::make_unique<const api::ClusterFacts>(facts));
}

std::unique_ptr<Process> FaultInjectionFixture::make_process(FaultyTransport& on) {
  clients_.push_back(std::make_unique<kube::Client>(on, std::chrono::seconds(2)));
  return std::make_unique<Process>(cluster, *clients_.back(), cluster_state, clock, logger, engines,
                                   settings());
}

void FaultInjectionFixture::put_graph() {
  cluster.put(kGraphs, R"({"metadata":{"name":"g","namespace":"ml"},"spec":{)"
                       R"("backendFramework":"vllm","services":{"Front":)" +
                           service("frontend", "") + R"(,"Work":)" +
                           service("worker", R"("scalingAdapter":{"enabled":true},)") + "}}}");
}

void FaultInjectionFixture::put_model() {
  cluster.put(model::kModels, R"({"metadata":{"name":"m","namespace":"ml"},"spec":)"
                              R"({"modelName":"a","baseModelName":"Qwen/Qwen3-0.6B",)"
                              R"("modelType":"lora","source":{"uri":"s3://b/k"}}})");
}

void FaultInjectionFixture::put_slice(const std::string& name, const std::string& address) {
  cluster.put(
      kube::kEndpointSlices,
      R"({"addressType":"IPv4","metadata":{"name":")" + name +
          R"(","namespace":"ml","labels":{"kubernetes.io/service-name":"s",)"
          R"("nvidia.com/dynamo-base-model-hash":"fb68f5a6"}},"endpoints":[{"addresses":[")" +
          address + R"("],"targetRef":{"kind":"Pod","name":"p-)" + name + R"("}}]})");
}

void FaultInjectionFixture::put_request() {
  cluster.put(kRequests, R"({"metadata":{"name":"r","namespace":"ml"},"spec":{}})");
}

void FaultInjectionFixture::put_all() {
  put_graph();
  put_model();
  put_slice("s1", "10.0.0.1");
  put_request();
}

void FaultInjectionFixture::reconcile_from_cache(Process& by) {
  for (std::size_t i = 0; i < by.reconcilers.size(); ++i) {
    const auto& reconciler = by.reconcilers[i];
    for (const kube::ObjectKey& key : by.cache->at(reconciler->spec().resource).keys()) {
      try {
        by.contexts[i]->begin();
        static_cast<void>(test::run(loop, reconciler->reconcile(key, *by.contexts[i])));
      } catch (const std::exception&) {
        ++defects;
      }
    }
  }
}

// Like a process that waits for its own writes: each controller reconciles all objects.
void FaultInjectionFixture::run_round(Process& by) {
  for (std::size_t i = 0; i < by.reconcilers.size(); ++i) {
    const auto& reconciler = by.reconcilers[i];
    by.cache->show();
    for (const kube::ObjectKey& key : by.cache->at(reconciler->spec().resource).keys()) {
      try {
        by.contexts[i]->begin();
        static_cast<void>(test::run(loop, reconciler->reconcile(key, *by.contexts[i])));
      } catch (const std::exception&) {
        ++defects;
      }
      by.cache->show();
    }
  }
  note_uids();
}

void FaultInjectionFixture::settle() {
  int silent = 0;
  for (int i = 0; i < 30 && silent < 3; ++i) {
    const std::size_t before = transport.writes;
    run_round();
    advance_cluster();
    silent = transport.writes == before ? silent + 1 : 0;
    clock.tick(std::chrono::seconds(1));
  }
  EXPECT_EQ(silent, 3) << "thirty rounds did not settle it";
  EXPECT_EQ(defects, 0U);
}

void FaultInjectionFixture::advance_cluster() {
  note_uids();
  roll_out_deployments();
  collect_garbage();
}

void FaultInjectionFixture::roll_out_deployments() {
  for (const kube::Object& each : cluster.all(kDeployments)) {
    const json::Value root = each.root();
    const std::int64_t generation = kube::generation_of(each);
    const std::string count = std::to_string(root["spec"]["replicas"].integer().value_or(1));
    std::string status = R"({"status":{"observedGeneration":)" + std::to_string(generation);
    for (const char* name : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
      status += std::string(",\"") + name + "\":" + count;
    }
    status += R"(,"conditions":[{"type":"Available","status":"True"}]}})";
    if (root["status"]["observedGeneration"].integer() == generation) continue;
    cluster.merge(kDeployments, kSpace, each.name(), status, "kube-controller-manager");
  }
}

void FaultInjectionFixture::collect_garbage() {
  std::set<std::string> there;
  for (const kube::Resource& resource : all_resources()) {
    for (const kube::Object& each : cluster.all(resource)) there.emplace(each.uid());
  }
  for (const kube::Object& object : managed_objects()) {
    const json::Value owners = object.root()["metadata"]["ownerReferences"];
    if (owners.size() == 0) continue;
    bool is_owned = false;
    for (const json::Value each : owners.elements()) {
      is_owned = is_owned || there.contains(std::string(each["uid"].string_or_empty()));
    }
    if (is_owned || kube::is_terminating(object)) continue;
    const ManagedKind* const kind = find_managed_kind(object.kind());
    cluster.erase(kind->resource, kSpace, object.name());
  }
}

void FaultInjectionFixture::recreate(const kube::Resource& resource, const std::string& name) {
  const auto there = find(resource, name);
  if (!there) return;
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("metadata").start_object();
  writer.member("name", name).member("namespace", kSpace).end_object();
  writer.key("spec").value(there->root()["spec"]);
  writer.end_object();
  cluster.merge(resource, kSpace, name, R"({"metadata":{"finalizers":null}})");
  if (find(resource, name)) cluster.erase(resource, kSpace, name);
  cluster.put(resource, text);
}

std::vector<kube::Object> FaultInjectionFixture::managed_objects() const {
  std::vector<kube::Object> all;
  for (const ManagedKind& each : kManagedKinds) {
    for (kube::Object& object : cluster.all(each.resource)) all.push_back(std::move(object));
  }
  return all;
}

std::vector<std::string> FaultInjectionFixture::snapshot() const {
  std::vector<std::string> all;
  for (const kube::Resource& resource : all_resources()) {
    for (const kube::Object& each : cluster.all(resource)) {
      const json::Value root = each.root();
      std::string text =
          std::string(resource.kind) + "/" + std::string(each.name()) + owner_names(each) + " ";
      for (const char* name : {"labels", "finalizers"}) text += sorted(root["metadata"][name]);
      for (const char* name : {"spec", "data", "rules", "roleRef", "subjects"}) {
        text += sorted(root[name]);
      }
      for (const char* name :
           {"nvidia.com/observed-retry", "dgdr.nvidia.com/additional-resources"}) {
        text += sorted(root["metadata"]["annotations"][name]);
      }
      for (const char* name :
           {"state", "services", "endpoints", "checkpoints", "deployment", "generatedDeployment",
            "profilingResults", "phase", "identityHash", "location", "jobName", "message"}) {
        text += sorted(root["status"][name]);
      }
      all.push_back(text + conditions_of(each));
    }
  }
  return all;
}

std::string FaultInjectionFixture::state() const {
  return std::string(find(kGraphs, "g")->root()["status"]["state"].string_or_empty());
}

void FaultInjectionFixture::note_uids() {
  std::vector<kube::Object> all = managed_objects();
  for (kube::Object& graph : cluster.all(kGraphs)) all.push_back(std::move(graph));
  for (const kube::Object& each : all) {
    uids_[std::string(each.kind()) + "/" + std::string(each.name())].emplace(each.uid());
  }
}

void FaultInjectionFixture::expect_created_once() const {
  for (const auto& [name, uids] : uids_) EXPECT_EQ(uids.size(), 1U) << name << " was made again";
  EXPECT_EQ(transport.deletes, 0U);
}

void FaultInjectionFixture::settle_as_golden() {
  settle();
  EXPECT_EQ(snapshot(), golden().snapshot);
}

const Golden& golden() {
  static const Golden run = [] {
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    fixture.settle();
    EXPECT_EQ(fixture.state(), "successful")
        << json::to_text(fixture.find(kGraphs, "g")->root()["status"]);
    return Golden{fixture.snapshot(), fixture.transport.writes};
  }();
  return run;
}

}  // namespace dynamo::reconciler

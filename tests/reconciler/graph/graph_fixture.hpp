// An in-memory cluster with the controllers of graphs and components.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "desired/kinds.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/component/reconciler.hpp"
#include "reconciler/graph/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler {

using kube::ReconcileResult;

inline constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
inline constexpr kube::Resource kPools{"inference.networking.k8s.io", "v1", "inferencepools",
                                       "InferencePool"};
inline constexpr kube::Resource kAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};
inline const std::string kSpace = "ml";

inline kube::ObjectKey key(const std::string& name) {
  return {.namespace_name = kSpace, .name = name};
}

class SilentEtcd final : public component::EtcdGateway {
 public:
  aio::Task<std::string> post(std::string url, std::string body,
                              std::function<bool()> can_send) override {
    if (while_connecting) while_connecting();
    if (!can_send()) co_return "it was not asked";
    asked.push_back(std::move(url));
    bodies.push_back(std::move(body));
    co_return "no answer in time";
  }
  std::function<void()> while_connecting;
  std::vector<std::string> asked;
  std::vector<std::string> bodies;
};

// A cluster with both controllers, for the lifetime of a process.
class GraphFixture {
 public:
  explicit GraphFixture(RenderSettings settings = default_settings())
      : settings_(std::move(settings)) {
    set_served_kinds(api::Fact::kNo);
  }

  static RenderSettings default_settings() {
    RenderSettings settings;
    settings.environment.profile = render::default_operator_profile();
    settings.environment.namespace_restricted = true;
    return settings;
  }
  void set_served_kinds(api::Fact grove, api::Fact groups = api::Fact::kNo,
                        api::Fact kai = api::Fact::kNo) {
    api::ClusterFacts facts;
    facts.grove_served = grove;
    facts.leader_worker_set_served = groups;
    facts.kai_scheduler_served = kai;
    cluster_state.facts.publish(std::make_unique<const api::ClusterFacts>(facts));
  }

  // Starts a process that has only the cluster's state.
  void start_process() {
    context.reset();
    cache.reset();
    etcd = std::make_shared<SilentEtcd>();
    components.emplace(settings_, cluster_state, etcd);
    graphs.emplace(settings_, cluster_state);
    std::vector<WatchSpec> watched = components->spec().watches;
    const std::vector<WatchSpec>& more = graphs->spec().watches;
    watched.insert(watched.end(), more.begin(), more.end());
    for (WatchSpec& each : watched) {
      if (left_out.contains(std::string(each.resource.plural))) each.options.most_bytes = 1;
    }
    cache.emplace(cluster, watched, logger);
    context.emplace(*cache, client, clock, logger);
  }
  void start_with_default_graph() {
    put_default_graph();
    start_process();
  }
  ReconcileResult reconcile_object(Reconciler& reconciler, const std::string& name) {
    cache->show();
    context->begin();
    return test::run(loop, reconciler.reconcile(key(name), *context));
  }
  ReconcileResult reconcile_graph(const std::string& name = "g") {
    return reconcile_object(*graphs, name);
  }
  ReconcileResult reconcile_component(const std::string& name) {
    return reconcile_object(*components, name);
  }
  // Reconciles every object once.
  void reconcile_all() {
    for (const kube::Object& each : cluster.all(kGraphs))
      reconcile_object(*graphs, std::string(each.name()));
    for (const kube::Object& each : cluster.all(kComponents)) {
      reconcile_object(*components, std::string(each.name()));
    }
  }
  void run_rounds(int count) {
    for (int i = 0; i < count; ++i) {
      reconcile_all();
      roll_out_deployments();
    }
  }
  void settle() {
    for (int i = 0; i < 20; ++i) {
      const std::size_t before = writes();
      run_rounds(1);
      if (writes() == before && is_played_) return;
    }
    FAIL() << "twenty rounds did not settle it";
  }
  // Simulates the cluster's Deployment controller.
  void roll_out_deployments() {
    is_played_ = true;
    for (const kube::Object& each : cluster.all(kDeployments)) {
      const json::Value root = each.root();
      const std::int64_t generation = kube::generation_of(each);
      if (root["status"]["observedGeneration"].integer() == generation) continue;
      is_played_ = false;
      const std::string count = std::to_string(root["spec"]["replicas"].integer().value_or(1));
      std::string status = R"({"status":{"observedGeneration":)" + std::to_string(generation);
      for (const char* name :
           {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
        status += std::string(",\"") + name + "\":" + count;
      }
      status += R"(,"conditions":[{"type":"Available","status":"True"}]}})";
      cluster.merge(kDeployments, kSpace, each.name(), status, "kube-controller-manager");
    }
  }
  std::size_t writes() const {
    return cluster.count({.method = kube::HttpMethod::kPatch}) +
           cluster.count({.method = kube::HttpMethod::kPost}) +
           cluster.count({.method = kube::HttpMethod::kPut}) +
           cluster.count({.method = kube::HttpMethod::kDelete});
  }

  std::string state(const std::string& name = "g") const {
    return std::string(
        cluster.find(kGraphs, kSpace, name)->root()["status"]["state"].string_or_empty());
  }
  std::string condition_text(const kube::Resource& resource, const std::string& name,
                             std::string_view type) const {
    const auto found = cluster.find(resource, kSpace, name);
    const kube::Conditions conditions =
        kube::Conditions::read(found->root()["status"]["conditions"]);
    const kube::Condition* const condition = conditions.find(type);
    return condition == nullptr ? "" : condition->reason + ": " + condition->message;
  }
  std::vector<std::string> names(const kube::Resource& resource) const {
    std::vector<std::string> all;
    for (const kube::Object& each : cluster.all(resource)) all.emplace_back(each.name());
    return all;
  }
  // The parts of all objects that do not depend on the time of creation.
  std::vector<std::string> snapshot() const {
    std::vector<std::string> all;
    std::vector<kube::Resource> resources = {kGraphs};
    for (const ManagedKind& each : kManagedKinds) resources.push_back(each.resource);
    for (const kube::Resource& resource : resources) {
      for (const kube::Object& each : cluster.all(resource)) {
        const json::Value root = each.root();
        all.push_back(std::string(resource.kind) + "/" + std::string(each.name()) + " " +
                      json::to_text(root["metadata"]["labels"]) + json::to_text(root["spec"]) +
                      json::to_text(root["rules"]) + json::to_text(root["status"]["state"]) +
                      json::to_text(root["status"]["services"]));
      }
    }
    return all;
  }

  void put_graph(const std::string& services, const std::string& name = "g",
                 const std::string& more = "", const std::string& engine = "vllm") {
    cluster.put(kGraphs, R"({"metadata":{"name":")" + name +
                             R"(","namespace":"ml","generation":1},"spec":{)" + more +
                             R"("backendFramework":")" + engine + R"(","services":)" + services +
                             "}}");
  }
  static std::string service(const std::string& type, const std::string& image = "a:1") {
    return R"({"componentType":")" + type +
           R"(","replicas":1,"extraPodSpec":{"mainContainer":{"image":")" + image + R"("}}})";
  }
  void put_default_graph(const std::string& name = "g") {
    put_graph(R"({"Front":)" + service("frontend") + R"(,"Work":)" + service("worker") + "}", name);
  }

  std::set<std::string> left_out;  // by plural: caches without room for any object
  boost::asio::io_context loop;
  test::FakeClock clock;
  test::FakeCluster cluster{&clock};
  std::unique_ptr<kube::Transport> connection = cluster.connect("reconciler");
  kube::Client client{*connection, std::chrono::seconds(2)};
  test::RecordingLogger logger;
  ClusterState cluster_state{clock};
  std::shared_ptr<SilentEtcd> etcd;
  std::optional<component::ComponentReconciler> components;
  std::optional<graph::GraphReconciler> graphs;
  std::optional<test::FakeCache> cache;
  std::optional<test::FakeReconcileContext> context;

 private:
  const RenderSettings settings_;
  bool is_played_ = false;
};

}  // namespace dynamo::reconciler

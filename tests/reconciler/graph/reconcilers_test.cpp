// Controllers of graphs and components against an in-memory API server: the life of a graph,
// concurrent changes by other clients, and crashes after each action.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admission/policy.hpp"
#include "desired/kinds.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/component/reconciler.hpp"
#include "reconciler/graph/reconciler.hpp"
#include "tests/reconciler/graph/graph_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ReconcileResult;
using test::Fault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

RenderSettings settings_with_etcd() {
  RenderSettings settings = GraphFixture::default_settings();
  settings.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  settings.etcd_url = "https://etcd:2379";
  return settings;
}

TEST(GraphControllers, GraphIsDeployedAndThenCausesNoWrites) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  EXPECT_EQ(fixture.state(), "successful");
  EXPECT_THAT(fixture.names(kDeployments), ElementsAre("g-front", "g-work"));
  EXPECT_THAT(fixture.names(kube::kServices), Contains("g-front"));
  EXPECT_THAT(fixture.names(kAccounts), ElementsAre("g-k8s-service-discovery"));
  const std::size_t before = fixture.writes();
  fixture.start_process();  // a new process
  fixture.reconcile_all();
  fixture.reconcile_all();
  EXPECT_EQ(fixture.writes(), before);
}

// As for the webhook: a finding that the policy softens does not block the graph.
TEST(GraphControllers, PolicyCanUnblockAnInvalidGraph) {
  GraphFixture fixture;
  fixture.put_graph(R"({"Work":)" + GraphFixture::service("worker") + "}", "g",
                    R"("restart":{"id":""},)");
  fixture.start_process();
  fixture.reconcile_all();
  EXPECT_EQ(fixture.state(), "failed");
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("ValidationFailed: spec.restart.id"));
  EXPECT_THAT(fixture.names(kComponents), IsEmpty());
  const auto read = admission::read_policy(
      "version: 1\nseverities:\n  - {rules: dgd.restart.id, severity: warn}\n");
  ASSERT_TRUE(read.policy);
  fixture.cluster_state.policy = std::make_shared<const admission::Policy>(*read.policy);
  fixture.settle();
  EXPECT_THAT(fixture.names(kComponents), ElementsAre("g-work"));
  EXPECT_NE(fixture.state(), "failed");
}

TEST(GraphControllers, ExcludedNamespacesGetOneEventAndNoObjects) {
  GraphFixture fixture;
  fixture.put_default_graph();
  fixture.cluster_state.excluded_namespaces = {"kube-system", "ml"};
  fixture.start_process();
  fixture.reconcile_all();
  fixture.reconcile_all();
  EXPECT_EQ(fixture.state(), "failed");
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("ValidationFailed: metadata.namespace: must not be excluded"));
  EXPECT_THAT(fixture.names(kComponents), IsEmpty());
  EXPECT_THAT(fixture.names(kAccounts), IsEmpty());
  fixture.cluster_state.excluded_namespaces = {"kube-system"};
  fixture.settle();
  EXPECT_EQ(fixture.state(), "successful");
}

TEST(GraphControllers, ExcludingANamespaceLaterDeletesNothing) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  const std::vector<std::string> before = fixture.names(kDeployments);
  fixture.cluster_state.excluded_namespaces = {"ml"};
  fixture.start_process();
  fixture.cluster.clear_calls();
  fixture.cluster.merge(
      kGraphs, kSpace, "g",
      R"({"spec":{"services":{"Work":)" + GraphFixture::service("worker", "a:2") + "}}}");
  fixture.reconcile_all();
  fixture.reconcile_all();
  EXPECT_EQ(fixture.names(kDeployments), before);
  EXPECT_THAT(fixture.names(kComponents), SizeIs(2));
  EXPECT_EQ(fixture.cluster.count({.method = kube::HttpMethod::kDelete}), 0U);
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Valid"),
              HasSubstr("ValidationFailed: metadata.namespace: must not be excluded"));
}

TEST(GraphControllers, NewImageChangesThreeObjects) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  fixture.cluster.clear_calls();
  fixture.cluster.merge(
      kGraphs, kSpace, "g",
      R"({"spec":{"services":{"Work":)" + GraphFixture::service("worker", "a:2") + "}}}");
  fixture.settle();
  for (const test::Call& call : fixture.cluster.calls()) {
    if (call.method == kube::HttpMethod::kGet) continue;
    const bool is_meant =
        call.target.find("dynamographdeployments/g") != std::string::npos ||
        call.target.find("dynamocomponentdeployments/g-work") != std::string::npos ||
        call.target.find("deployments/g-work") != std::string::npos;
    EXPECT_TRUE(is_meant) << call.target;
  }
  EXPECT_EQ(fixture.state(), "successful");
  EXPECT_THAT(fixture.context->events,
              Contains("Normal ServiceChanged on DynamoGraphDeployment/g"));
}

TEST(GraphControllers, CrashAfterAnyActionIsRecovered) {
  const std::string services = R"({"Work":)" + GraphFixture::service("worker") + "}";
  GraphFixture whole;
  whole.put_graph(services);
  whole.start_process();
  whole.settle();
  const std::vector<std::string> meant = whole.snapshot();
  bool has_come_through = false;
  constexpr std::size_t kMax = 100;
  for (std::size_t actions = 0; actions < kMax && !has_come_through; ++actions) {
    GraphFixture fixture;
    fixture.put_graph(services);
    fixture.start_process();
    fixture.context->actions_left = actions;
    fixture.run_rounds(4);
    has_come_through = fixture.context->leads;
    fixture.start_process();
    fixture.settle();
    EXPECT_EQ(fixture.snapshot(), meant) << "ended after " << actions << " actions";
  }
  EXPECT_TRUE(has_come_through);
}

TEST(GraphControllers, LostAnswersDoNotChangeTheResult) {
  GraphFixture whole;
  whole.start_with_default_graph();
  whole.settle();
  GraphFixture fixture;
  fixture.start_with_default_graph();
  constexpr int kLost = 12;
  for (int i = 0; i < kLost; ++i) {
    fixture.cluster.fail({.method = kube::HttpMethod::kPatch}, {.kind = Fault::Kind::kLostAnswer});
    fixture.reconcile_all();
  }
  fixture.settle();
  EXPECT_EQ(fixture.snapshot(), whole.snapshot());
}

TEST(GraphControllers, ForeignDeploymentIsKeptAndReported) {
  GraphFixture fixture;
  fixture.cluster.put(kDeployments, R"({"metadata":{"name":"g-work","namespace":"ml"},)"
                                    R"("spec":{"replicas":7}})");
  fixture.start_with_default_graph();
  fixture.settle();
  EXPECT_EQ(
      fixture.cluster.find(kDeployments, kSpace, "g-work")->root()["spec"]["replicas"].integer(),
      7);
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("NameTaken: Deployment g-work"));
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("NameTaken"));
  EXPECT_THAT(fixture.condition_text(kComponents, "g-front", "Available"),
              HasSubstr("DeploymentReady"));
}

// The cache contains only ConfigMaps of graphs.
TEST(GraphControllers, UncachedConfigMapIsNotTakenOver) {
  GraphFixture fixture;
  fixture.put_graph(R"({"Epp":{"componentType":"epp","replicas":1,"eppConfig":{"config":{"a":1}},)"
                    R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  fixture.start_process();
  fixture.cache->show();
  fixture.cluster.put(kube::kConfigMaps,
                      R"({"metadata":{"name":"g-epp-config","namespace":"ml"},"data":{"a":"b"}})");
  test::run(fixture.loop, fixture.graphs->reconcile(key("g"), *fixture.context));
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("ConfigMap g-epp-config"));
  const auto left = fixture.cluster.find(kube::kConfigMaps, kSpace, "g-epp-config");
  EXPECT_EQ(json::to_text(left->root()["data"]), R"({"a":"b"})");
}

// Another client creates the object between our read and our write.
TEST(GraphControllers, UncachedDeploymentIsNotTakenOver) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.reconcile_graph();
  fixture.cache->show();
  kube::WriteOptions by_hand;
  by_hand.field_manager = "kubectl";
  const auto made =
      test::run(fixture.loop,
                fixture.client.create(
                    kDeployments, kSpace,
                    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"g-work"},)"
                    R"("spec":{"replicas":7}})",
                    by_hand));
  ASSERT_TRUE(made);
  test::run(fixture.loop, fixture.components->reconcile(key("g-work"), *fixture.context));
  const auto left = fixture.cluster.find(kDeployments, kSpace, "g-work");
  EXPECT_EQ(left->root()["spec"]["replicas"].integer(), 7);
  EXPECT_FALSE(left->root()["metadata"]["ownerReferences"].exists());
}

// Another client deletes and recreates the object between our read and our write.
TEST(GraphControllers, RecreatedObjectWithOtherUidIsNotWritten) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  fixture.cluster.merge(kComponents, kSpace, "g-work", R"({"spec":{"replicas":3}})");
  fixture.cache->show();
  fixture.cluster.erase(kDeployments, kSpace, "g-work");
  fixture.cluster.put(kDeployments, R"({"metadata":{"name":"g-work","namespace":"ml"},)"
                                    R"("spec":{"replicas":7}})");
  const ReconcileResult result =
      test::run(fixture.loop, fixture.components->reconcile(key("g-work"), *fixture.context));
  EXPECT_EQ(result.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(
      fixture.cluster.find(kDeployments, kSpace, "g-work")->root()["spec"]["replicas"].integer(),
      7);
}

TEST(GraphControllers, RefusedWriteIsReportedOnceWithoutBlockingOthers) {
  GraphFixture fixture;
  fixture.put_default_graph("bad");
  fixture.start_with_default_graph();
  constexpr std::size_t kMany = 1'000;
  fixture.cluster.fail({.method = kube::HttpMethod::kPatch, .path = "/services/bad-work"},
                       {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, kMany);
  fixture.run_rounds(4);
  EXPECT_EQ(fixture.state(), "successful");
  EXPECT_EQ(fixture.state("bad"), "pending");
  EXPECT_THAT(fixture.condition_text(kComponents, "bad-work", "Available"),
              HasSubstr("Reconciling: apply"));
  EXPECT_THAT(fixture.condition_text(kGraphs, "bad", "Ready"), HasSubstr("Forbidden"));
  fixture.context->events.clear();
  const std::string before(
      fixture.cluster.find(kComponents, kSpace, "bad-work")->resource_version());
  EXPECT_EQ(fixture.reconcile_component("bad-work").kind, ReconcileResult::Kind::kRetry);
  EXPECT_EQ(fixture.cluster.find(kComponents, kSpace, "bad-work")->resource_version(), before);
  EXPECT_THAT(fixture.context->events, Not(Contains(HasSubstr("ReconcileError"))));
}

TEST(GraphControllers, RefusedComponentDoesNotBlockOtherComponents) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  constexpr std::size_t kMany = 100;
  fixture.cluster.fail(
      {.method = kube::HttpMethod::kPatch, .path = "/dynamocomponentdeployments/g-front"},
      {.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, kMany);
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kRetry);
  EXPECT_FALSE(fixture.cluster.find(kComponents, kSpace, "g-front"));
  EXPECT_TRUE(fixture.cluster.find(kComponents, kSpace, "g-work"));
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("Invalid"));
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("g-front"));
  // Changes to the other components are still applied.
  fixture.cluster.merge(kGraphs, kSpace, "g", R"({"spec":{"services":{"Work":{"replicas":5}}}})");
  fixture.reconcile_graph();
  EXPECT_EQ(
      fixture.cluster.find(kComponents, kSpace, "g-work")->root()["spec"]["replicas"].integer(), 5);
}

TEST(GraphControllers, TerminatingNamespaceIsReportedAndNotRetried) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.reconcile_graph();
  fixture.cluster.fail({.method = kube::HttpMethod::kPatch, .path = "/deployments/g-work"},
                       {.kind = Fault::Kind::kStatus,
                        .status = 403,
                        .reason = "Forbidden",
                        .body = "unable to create new content in namespace ml because it is being "
                                "terminated"});
  EXPECT_EQ(fixture.reconcile_component("g-work").kind, ReconcileResult::Kind::kDone);
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("it is being terminated"));
  EXPECT_THAT(fixture.context->events, Not(Contains(HasSubstr("ReconcileError"))))
      << "the server makes no events there";
}

TEST(GraphControllers, UnavailableEtcdDoesNotBlockDeletion) {
  GraphFixture fixture(settings_with_etcd());
  fixture.start_with_default_graph();
  fixture.settle();
  fixture.cluster.erase(kComponents, kSpace, "g-work");
  ASSERT_TRUE(fixture.cluster.find(kComponents, kSpace, "g-work")) << "its finalizer holds it";
  fixture.reconcile_component("g-work");
  EXPECT_FALSE(fixture.cluster.find(kComponents, kSpace, "g-work"));
  EXPECT_THAT(fixture.etcd->asked, ElementsAre("https://etcd:2379/v3/kv/txn"));
  EXPECT_THAT(fixture.context->events,
              Contains("Warning EtcdNotCleaned on DynamoComponentDeployment/g-work"));
}

class EtcdKeysTest : public ::testing::Test {
 protected:
  static RenderSettings through_etcd(bool is_restricted) {
    RenderSettings settings = settings_with_etcd();
    settings.environment.namespace_restricted = is_restricted;
    settings.environment.planner_cluster_role = "planner";
    return settings;
  }
  static std::string component(const std::string& name, const std::string& space,
                               const std::string& dynamo_namespace, const std::string& service,
                               const std::string& more = "", const std::string& owners = "[]") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":")" + space +
           R"(","generation":1,"finalizers":["nvidia.com/finalizer"],"ownerReferences":)" + owners +
           R"(},"spec":{"dynamoNamespace":")" + dynamo_namespace + R"(","serviceName":")" +
           service + R"(",)" + more + R"("componentType":"worker","backendFramework":"vllm"}})";
  }
  static std::string owned_by(const std::string& graph, const std::string& uid) {
    return R"([{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":")" +
           graph + R"(","uid":")" + uid + R"(","controller":true}])";
  }
  static std::string graph(const std::string& name, const std::string& space,
                           const std::string& services) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":")" + space +
           R"(","generation":1},"spec":{"services":)" + services + "}}";
  }
  // Whether the deletion of a component calls etcd. `why_not`: part of the event's note otherwise.
  static bool deletes_keys_of(GraphFixture& fixture, const std::string& component,
                              const std::string& why_not = "") {
    fixture.cluster.put(kComponents, component);
    fixture.start_process();
    fixture.cluster.erase(kComponents, kSpace, "mine");
    fixture.reconcile_component("mine");
    EXPECT_FALSE(fixture.cluster.find(kComponents, kSpace, "mine")) << "nothing holds it up";
    const bool asked = !fixture.etcd->asked.empty();
    if (!asked) {
      EXPECT_THAT(fixture.context->events, Contains(HasSubstr("Warning EtcdNotCleaned on ")));
      EXPECT_THAT(fixture.context->notes, Contains(HasSubstr(why_not)));
    }
    return asked;
  }
  static bool deletes_keys(GraphFixture& fixture, const std::string& dynamo_namespace,
                           const std::string& service, const std::string& why_not = "") {
    return deletes_keys_of(fixture, component("mine", kSpace, dynamo_namespace, service), why_not);
  }

  static constexpr const char* kUsedByOthers = "another component or graph";
  static constexpr const char* kForeign = "must be the one that the component's pods use";
};

TEST_F(EtcdKeysTest, ComponentOfAnotherNamespaceKeepsItsKeys) {
  for (const std::string service : {"Work", "backend"}) {
    GraphFixture fixture(through_etcd(false));
    fixture.cluster.put(kComponents, component("theirs", "ml-own", "ml-own-g", "Work"));
    EXPECT_FALSE(deletes_keys(fixture, "ml-own-g", service, kUsedByOthers)) << service;
  }
}

TEST_F(EtcdKeysTest, ComponentOfTheSameNamespaceKeepsItsKeys) {
  for (const std::string service : {"Work", "backend"}) {
    GraphFixture fixture(through_etcd(false));
    fixture.cluster.put(kComponents, component("theirs", kSpace, "ml-shared", "Work"));
    EXPECT_FALSE(deletes_keys(fixture, "ml-shared", service, kUsedByOthers)) << service;
  }
}

// The engine or DYN_COMPONENT names a component in etcd, so any name may be the graph's.
TEST_F(EtcdKeysTest, GraphWithoutComponentsKeepsItsKeys) {
  for (const std::string space : {"ml", "ml-own"}) {
    for (const std::string service : {"Work", "backend"}) {
      GraphFixture fixture(through_etcd(false));
      fixture.cluster.put(
          kGraphs, graph(space == "ml" ? "own-g" : "g", space, R"({"Work":{},"Frontend":{}})"));
      EXPECT_FALSE(deletes_keys(fixture, "ml-own-g", service, kUsedByOthers)) << space << service;
    }
  }
}

TEST_F(EtcdKeysTest, GraphInTheGlobalNamespaceKeepsItsKeys) {
  for (const std::string service : {"Work", "backend"}) {
    GraphFixture fixture(through_etcd(false));
    fixture.cluster.put(kGraphs,
                        graph("g", "victim", R"({"Work":{"globalDynamoNamespace":true},"A":{}})"));
    EXPECT_FALSE(deletes_keys_of(
        fixture, component("mine", kSpace, "dynamo", service, R"("globalDynamoNamespace":true,)"),
        kUsedByOthers))
        << service;
  }
}

TEST_F(EtcdKeysTest, ComponentInTheGlobalNamespaceKeepsItsKeys) {
  const std::string global = R"("globalDynamoNamespace":true,)";
  GraphFixture fixture(through_etcd(false));
  fixture.cluster.put(kComponents, component("theirs", "victim", "victim-g", "Work", global));
  EXPECT_FALSE(deletes_keys_of(fixture, component("mine", kSpace, "dynamo", "backend", global),
                               kUsedByOthers));
}

TEST_F(EtcdKeysTest, StandaloneComponentKeepsKeysOfItsPods) {
  // The pods of a component without a graph use "NAMESPACE-".
  GraphFixture fixture(through_etcd(false));
  fixture.cluster.put(kComponents, component("theirs", "ml-own", "chat", "Work"));
  EXPECT_FALSE(deletes_keys(fixture, "ml-own-", "backend", kUsedByOthers));
}

// Pods of no graph, or with a DYN_NAMESPACE of their own, may use the keys.
TEST_F(EtcdKeysTest, NamespaceOfOthersKeepsItsKeys) {
  for (const std::string space : {"victim-g", "dynamo", "ml", "mlx-g"}) {
    GraphFixture fixture(through_etcd(false));
    EXPECT_FALSE(deletes_keys(fixture, space, "backend", kForeign)) << space;
  }
  GraphFixture fixture(through_etcd(false));
  EXPECT_FALSE(deletes_keys_of(
      fixture, component("mine", kSpace, "ml-h", "Work", "", owned_by("g", "u")), kForeign));
}

TEST_F(EtcdKeysTest, OwnerOfAnotherNamespaceKeepsItsKeys) {
  for (const std::string service : {"Work", "backend"}) {
    GraphFixture fixture(through_etcd(false));
    fixture.cluster.put(kGraphs, graph("g", "ml-own", R"({"Work":{}})"));
    const std::string uid(fixture.cluster.find(kGraphs, "ml-own", "g")->uid());
    fixture.cluster.put(kComponents,
                        component("theirs", "ml-own", "ml-own-g", "Work", "", owned_by("g", uid)));
    EXPECT_FALSE(deletes_keys_of(
        fixture, component("mine", kSpace, "ml-own-g", service, "", owned_by("own-g", uid)),
        kUsedByOthers))
        << service;
  }
}

TEST_F(EtcdKeysTest, RemovedServiceLosesOnlyItsKeys) {
  const auto is_deleted = [](const std::string& service) {
    GraphFixture fixture(through_etcd(false));
    fixture.cluster.put(kGraphs, graph("g", kSpace, R"({"Front":{},"Other":{}})"));
    const std::string owners =
        owned_by("g", std::string(fixture.cluster.find(kGraphs, kSpace, "g")->uid()));
    fixture.cluster.put(kComponents, component("g-other", kSpace, "ml-g", "Other", "", owners));
    return deletes_keys_of(fixture, component("mine", kSpace, "ml-g", service, "", owners));
  };
  EXPECT_TRUE(is_deleted("Work"));
  EXPECT_FALSE(is_deleted("Other"));
  EXPECT_FALSE(is_deleted("worker")) << "DYN_COMPONENT of the other service";
}

TEST_F(EtcdKeysTest, ComponentsOfADeletedGraphLoseTheirKeys) {
  GraphFixture fixture(through_etcd(false));
  const std::string owners = owned_by("g", "of-a-deleted-graph");
  fixture.cluster.put(kComponents, component("g-other", kSpace, "ml-g", "Other", "", owners));
  EXPECT_TRUE(deletes_keys_of(fixture, component("mine", kSpace, "ml-g", "Work", "", owners)));
}

TEST_F(EtcdKeysTest, NameWithSlashDeletesNoKeys) {
  for (const auto& [space, service] :
       {std::pair("ml-g", "Work/generate"), std::pair("ml-g/components/Work", "x")}) {
    GraphFixture fixture(through_etcd(false));
    EXPECT_FALSE(deletes_keys(fixture, space, service, "without a slash")) << service;
  }
}

TEST_F(EtcdKeysTest, OtherNamespacesDoNotCount) {
  GraphFixture fixture(through_etcd(false));
  fixture.cluster.put(kComponents, component("b", "victim", "ml-owner", "Work"));
  fixture.cluster.put(kComponents, component("c", kSpace, "ml-other", "Work"));
  fixture.cluster.put(kGraphs, graph("own", "mlx", R"({"Work":{}})"));
  fixture.cluster.put(kGraphs, graph("owner", "ml", R"({"Work":{"globalDynamoNamespace":true}})"));
  EXPECT_TRUE(deletes_keys(fixture, "ml-own", "Work"));
}

TEST_F(EtcdKeysTest, RestrictedReconcilerDeletesKeysOfGraphsOnly) {
  GraphFixture fixture(through_etcd(true));
  EXPECT_FALSE(deletes_keys(fixture, "victim-g", "Work"));
}

TEST(GraphControllers, EtcdIsNotCalledAfterLosingLeadership) {
  GraphFixture fixture(settings_with_etcd());
  fixture.start_with_default_graph();
  fixture.settle();
  fixture.cluster.erase(kComponents, kSpace, "g-work");
  fixture.etcd->while_connecting = [&fixture] { fixture.context->leads = false; };
  fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.etcd->asked, IsEmpty());
  EXPECT_TRUE(fixture.cluster.find(kComponents, kSpace, "g-work")) << "the next one asks";
  EXPECT_EQ(fixture.logger.count("etcd keeps the keys of a deleted component"), 0U);
}

TEST(GraphControllers, DryRunSendsNoCalls) {
  GraphFixture fixture(settings_with_etcd());
  fixture.start_with_default_graph();
  fixture.settle();
  fixture.cluster.erase(kComponents, kSpace, "g-work");
  const std::size_t before = fixture.writes();
  fixture.context->dry_run = true;
  fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.etcd->asked, IsEmpty());
  EXPECT_EQ(fixture.writes(), before);
  EXPECT_THAT(fixture.context->printed, HasSubstr("/v3/kv/txn"));
}

TEST(GraphControllers, PodsGetTheSecretsOfTheirRegistries) {
  GraphFixture fixture;
  // Decoded: {"auths":{"nvcr.io":{}}}
  fixture.cluster.put(kube::kSecrets,
                      R"({"metadata":{"name":"pull","namespace":"ml"},)"
                      R"("type":"kubernetes.io/dockerconfigjson",)"
                      R"("data":{".dockerconfigjson":"eyJhdXRocyI6eyJudmNyLmlvIjp7fX19"}})");
  fixture.put_graph(R"({"Work":)" + GraphFixture::service("worker", "nvcr.io/x/y:1") + "}");
  fixture.start_process();
  fixture.settle();
  const auto deployment = fixture.cluster.find(kDeployments, kSpace, "g-work");
  const json::Value pod = deployment->root()["spec"]["template"]["spec"];
  EXPECT_EQ(json::to_text(pod["imagePullSecrets"]), R"([{"name":"pull"}])");
}

// --- Keys affected by a change.

class WakingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fixture_.start_with_default_graph();
    fixture_.settle();
    fixture_.cache->show();
  }
  std::vector<std::string> woken(const Reconciler& reconciler, const kube::Resource& of,
                                 const std::optional<kube::Object>& before,
                                 const std::optional<kube::Object>& now) {
    const kube::Object& any = now ? *now : *before;
    const kube::ObjectKey changed = kube::key_of(any);
    std::vector<kube::ObjectKey> keys;
    reconciler.map_to_requests(
        of, {.key = changed, .before = before ? &*before : nullptr, .now = now ? &*now : nullptr},
        *fixture_.cache, keys);
    std::vector<std::string> names;
    for (const kube::ObjectKey& each : keys) names.push_back(each.name);
    return names;
  }
  static kube::Object object(const std::string& text) { return kube::Object::parse(text).value(); }

  GraphFixture fixture_;
};

TEST_F(WakingTest, OwnedObjectTriggersItsOwner) {
  const auto deployment = fixture_.cluster.find(kDeployments, kSpace, "g-work");
  EXPECT_THAT(woken(*fixture_.components, kDeployments, deployment, deployment),
              ElementsAre("g-work"));
  const auto component = fixture_.cluster.find(kComponents, kSpace, "g-work");
  EXPECT_THAT(woken(*fixture_.graphs, kComponents, component, std::nullopt), ElementsAre("g"));
}

TEST_F(WakingTest, DeletedForeignObjectTriggersComponentOfThatName) {
  const kube::Object foreign =
      object(R"({"kind":"Service","metadata":{"name":"g-work-d","namespace":"ml"}})");
  EXPECT_THAT(woken(*fixture_.components, kube::kServices, foreign, std::nullopt),
              ElementsAre("g-work"));
  EXPECT_THAT(woken(*fixture_.components, kube::kServices, std::nullopt, foreign), IsEmpty());
}

TEST_F(WakingTest, DeletedForeignObjectTriggersGraphsOfThatName) {
  fixture_.put_default_graph("g-work");
  fixture_.cache->show();
  const auto woken_by = [this](const kube::Resource& of, const std::string& name,
                               bool is_deleted = true) {
    const kube::Object foreign =
        object(R"({"kind":")" + std::string(of.kind) + R"(","metadata":{"name":")" + name +
               R"(","namespace":"ml"}})");
    return is_deleted ? woken(*fixture_.graphs, of, foreign, std::nullopt)
                      : woken(*fixture_.graphs, of, std::nullopt, foreign);
  };
  EXPECT_THAT(woken_by(kPodCliqueSets, "g"), ElementsAre("g"));
  EXPECT_THAT(woken_by(kube::kServices, "g-front"), ElementsAre("g"));
  EXPECT_THAT(woken_by(kube::kServices, "g-work-a"), ElementsAre("g", "g-work"));
  EXPECT_THAT(woken_by(kube::kServices, "gg"), IsEmpty());
  EXPECT_THAT(woken_by(kube::kServices, "g-front", false), IsEmpty());
}

TEST_F(WakingTest, ChangeOfOwnResourceTriggersNoOtherKey) {
  const kube::Object component = object(
      R"({"kind":"DynamoComponentDeployment","metadata":{"name":"g-work-d","namespace":"ml"}})");
  EXPECT_THAT(woken(*fixture_.components, kComponents, component, std::nullopt), IsEmpty());
  const kube::Object graph = object(
      R"({"kind":"DynamoGraphDeployment","metadata":{"name":"owned","namespace":"ml",)"
      R"("ownerReferences":[{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
      R"("name":"g","uid":"u","controller":true}]}})");
  EXPECT_THAT(woken(*fixture_.graphs, kGraphs, std::nullopt, graph), IsEmpty());
}

TEST_F(WakingTest, PullSecretTriggersAllComponentsOfNamespace) {
  const kube::Object secret = object(R"({"metadata":{"name":"pull","namespace":"ml"}})");
  EXPECT_THAT(woken(*fixture_.components, kube::kSecrets, std::nullopt, secret),
              ElementsAre("g-front", "g-work"));
  const kube::Object account = object(R"({"metadata":{"name":"a","namespace":"ml"}})");
  EXPECT_THAT(woken(*fixture_.components, kAccounts, std::nullopt, account), IsEmpty());
  const kube::Object marked = object(
      R"({"metadata":{"name":"a","namespace":"ml","labels":{"nvidia.com/dynamo-component-pod":"true"}}})");
  EXPECT_THAT(woken(*fixture_.components, kAccounts, account, marked), SizeIs(2));
}

TEST_F(WakingTest, NewClaimTriggersGraphsOfItsNamespace) {
  const kube::Object claim = object(R"({"metadata":{"name":"models","namespace":"ml"}})");
  EXPECT_THAT(woken(*fixture_.graphs, kube::kPersistentVolumeClaims, std::nullopt, claim),
              ElementsAre("g"));
  EXPECT_THAT(woken(*fixture_.graphs, kube::kPersistentVolumeClaims, claim, claim), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler

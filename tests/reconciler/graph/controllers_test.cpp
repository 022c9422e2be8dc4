// Graphs and components against an API server in memory: what becomes of a graph, what others do in
// between, and an end at each action.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.hpp"
#include "kube/conditions.hpp"
#include "kube/object_meta.hpp"
#include "reconciler/children/kinds.hpp"
#include "reconciler/component/controller.hpp"
#include "reconciler/graph/controller.hpp"
#include "tests/reconciler/pass_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::PassResult;
using test::Fault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
constexpr kube::Resource kPools{"inference.networking.k8s.io", "v1", "inferencepools",
                                "InferencePool"};
constexpr kube::Resource kAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};
const std::string kSpace = "ml";

kube::ObjectKey key(const std::string& name) {
  return {.namespace_name = kSpace, .name = name};
}

class SilentEtcd final : public component::EtcdGateway {
 public:
  aio::Task<std::string> post(std::string url, std::string body) override {
    asked.push_back(std::move(url));
    bodies.push_back(std::move(body));
    co_return "no answer in time";
  }
  std::vector<std::string> asked;
  std::vector<std::string> bodies;
};

// A cluster with both controllers, as long as a process lives.
class Room {
 public:
  explicit Room(ChildSettings settings = usual()) : settings_(std::move(settings)) {
    know(api::Fact::kNo);
  }

  static ChildSettings usual() {
    ChildSettings settings;
    settings.environment.profile = render::default_operator_profile();
    settings.environment.namespace_restricted = true;
    return settings;
  }
  void know(api::Fact grove, api::Fact groups = api::Fact::kNo) {
    api::ClusterFacts facts;
    facts.grove_served = grove;
    facts.leader_worker_set_served = groups;
    world.facts.publish(std::make_unique<const api::ClusterFacts>(facts));
  }

  // A process begins, with nothing but what the cluster has.
  void begin() {
    pass.reset();
    stores.reset();
    etcd = std::make_shared<SilentEtcd>();
    components.emplace(settings_, world, etcd);
    graphs.emplace(settings_, world);
    std::vector<Watched> watched = components->watches();
    const std::vector<Watched> more = graphs->watches();
    watched.insert(watched.end(), more.begin(), more.end());
    stores.emplace(cluster, watched, logger);
    pass.emplace(*stores, client, clock, logger);
  }
  PassResult look(Controller& controller, const std::string& name) {
    stores->show();
    return test::run(loop, controller.reconcile(key(name), *pass));
  }
  PassResult look_at_graph(const std::string& name = "g") { return look(*graphs, name); }
  PassResult look_at_component(const std::string& name) { return look(*components, name); }
  // Everything once.
  void round() {
    for (const kube::Object& each : cluster.all(kGraphs)) look(*graphs, std::string(each.name()));
    for (const kube::Object& each : cluster.all(kComponents)) {
      look(*components, std::string(each.name()));
    }
  }
  void settle() {
    for (int i = 0; i < 20; ++i) {
      const std::size_t before = writes();
      round();
      play();
      if (writes() == before && is_played_) return;
    }
    FAIL() << "twenty rounds did not settle it";
  }
  // What a cluster's own controller of Deployments would tell.
  void play() {
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
    return cluster.count({.verb = kube::Verb::kPatch}) +
           cluster.count({.verb = kube::Verb::kPost}) + cluster.count({.verb = kube::Verb::kPut}) +
           cluster.count({.verb = kube::Verb::kDelete});
  }

  std::string state(const std::string& name = "g") const {
    return std::string(
        cluster.find(kGraphs, kSpace, name)->root()["status"]["state"].string_or_empty());
  }
  std::string told(const kube::Resource& resource, const std::string& name,
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
  // Of all objects, what does not depend on when they were made.
  std::vector<std::string> picture() const {
    std::vector<std::string> all;
    std::vector<kube::Resource> resources = {kGraphs};
    for (const ChildKind& each : kChildKinds) resources.push_back(each.resource);
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
                 const std::string& more = "") {
    cluster.put(kGraphs, R"({"metadata":{"name":")" + name +
                             R"(","namespace":"ml","generation":1},"spec":{)" + more +
                             R"("backendFramework":"vllm","services":)" + services + "}}");
  }
  static std::string service(const std::string& type, const std::string& image = "a:1") {
    return R"({"componentType":")" + type +
           R"(","replicas":1,"extraPodSpec":{"mainContainer":{"image":")" + image + R"("}}})";
  }
  void put_usual(const std::string& name = "g") {
    put_graph(R"({"Front":)" + service("frontend") + R"(,"Work":)" + service("worker") + "}", name);
  }

  boost::asio::io_context loop;
  test::FakeClock clock;
  test::FakeCluster cluster{&clock};
  std::unique_ptr<kube::Transport> connection = cluster.connect("reconciler");
  kube::Client client{*connection, std::chrono::seconds(2)};
  test::RecordingLogger logger;
  World world{clock};
  std::shared_ptr<SilentEtcd> etcd;
  std::optional<component::ComponentController> components;
  std::optional<graph::GraphController> graphs;
  std::optional<test::HeldStores> stores;
  std::optional<test::HeldPass> pass;

 private:
  const ChildSettings settings_;
  bool is_played_ = false;
};

TEST(GraphControllers, AGraphBecomesWhatRunsAndIsQuietThen) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  EXPECT_EQ(room.state(), "successful");
  EXPECT_THAT(room.names(kDeployments), ElementsAre("g-front", "g-work"));
  EXPECT_THAT(room.names(kube::kServices), Contains("g-front"));
  EXPECT_THAT(room.names(kAccounts), ElementsAre("g-k8s-service-discovery"));
  const std::size_t before = room.writes();
  room.begin();  // a new process
  room.round();
  room.round();
  EXPECT_EQ(room.writes(), before);
}

TEST(GraphControllers, ANewImageTouchesThreeObjects) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  room.cluster.clear_calls();
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"spec":{"services":{"Work":)" + Room::service("worker", "a:2") + "}}}");
  room.settle();
  for (const test::Call& call : room.cluster.calls()) {
    if (call.verb == kube::Verb::kGet) continue;
    const bool is_meant =
        call.target.find("dynamographdeployments/g") != std::string::npos ||
        call.target.find("dynamocomponentdeployments/g-work") != std::string::npos ||
        call.target.find("deployments/g-work") != std::string::npos;
    EXPECT_TRUE(is_meant) << call.target;
  }
  EXPECT_EQ(room.state(), "successful");
  EXPECT_THAT(room.pass->events, Contains("Normal ServiceChanged on DynamoGraphDeployment/g"));
}

TEST(GraphControllers, AnEndAtEachActionLeavesNothingUndone) {
  const std::string services = R"({"Work":)" + Room::service("worker") + "}";
  Room whole;
  whole.put_graph(services);
  whole.begin();
  whole.settle();
  const std::vector<std::string> meant = whole.picture();
  bool has_come_through = false;
  constexpr std::size_t kMost = 100;
  for (std::size_t actions = 0; actions < kMost && !has_come_through; ++actions) {
    Room room;
    room.put_graph(services);
    room.begin();
    room.pass->actions_left = actions;
    for (int i = 0; i < 4; ++i) {
      room.round();
      room.play();
    }
    has_come_through = room.pass->leads;
    room.begin();
    room.settle();
    EXPECT_EQ(room.picture(), meant) << "ended after " << actions << " actions";
  }
  EXPECT_TRUE(has_come_through);
}

TEST(GraphControllers, AnAnswerThatIsLostDoesNoHarm) {
  Room whole;
  whole.put_usual();
  whole.begin();
  whole.settle();
  Room room;
  room.put_usual();
  room.begin();
  constexpr int kLost = 12;
  for (int i = 0; i < kLost; ++i) {
    room.cluster.fail({.verb = kube::Verb::kPatch}, {.kind = Fault::Kind::kLostAnswer});
    room.round();
  }
  room.settle();
  EXPECT_EQ(room.picture(), whole.picture());
}

TEST(GraphControllers, WhatIsSomebodyElsesIsLeftAloneAndTold) {
  Room room;
  room.cluster.put(kDeployments, R"({"metadata":{"name":"g-work","namespace":"ml"},)"
                                 R"("spec":{"replicas":7}})");
  room.put_usual();
  room.begin();
  room.settle();
  EXPECT_EQ(room.cluster.find(kDeployments, kSpace, "g-work")->root()["spec"]["replicas"].integer(),
            7);
  EXPECT_THAT(room.told(kComponents, "g-work", "Available"),
              HasSubstr("NameTaken: Deployment g-work"));
  EXPECT_THAT(room.told(kGraphs, "g", "Ready"), HasSubstr("NameTaken"));
  EXPECT_THAT(room.told(kComponents, "g-front", "Available"), HasSubstr("DeploymentReady"));
}

// The store holds ConfigMaps of graphs only.
TEST(GraphControllers, AConfigMapThatNoStoreShowsIsNotTakenOver) {
  Room room;
  room.put_graph(R"({"Epp":{"componentType":"epp","replicas":1,"eppConfig":{"config":{"a":1}},)"
                 R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  room.begin();
  room.stores->show();
  room.cluster.put(kube::kConfigMaps,
                   R"({"metadata":{"name":"g-epp-config","namespace":"ml"},"data":{"a":"b"}})");
  test::run(room.loop, room.graphs->reconcile(key("g"), *room.pass));
  EXPECT_THAT(room.told(kGraphs, "g", "Ready"), HasSubstr("ConfigMap g-epp-config"));
  const auto left = room.cluster.find(kube::kConfigMaps, kSpace, "g-epp-config");
  EXPECT_EQ(json::to_text(left->root()["data"]), R"({"a":"b"})");
}

// Made by somebody else, between our look and our write.
TEST(GraphControllers, WhatNoStoreShowsIsNotTakenOver) {
  Room room;
  room.put_usual();
  room.begin();
  room.look_at_graph();
  room.stores->show();
  kube::WriteOptions by_hand;
  by_hand.field_manager = "kubectl";
  const auto made = test::run(
      room.loop, room.client.create(
                     kDeployments, kSpace,
                     R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"g-work"},)"
                     R"("spec":{"replicas":7}})",
                     by_hand));
  ASSERT_TRUE(made);
  test::run(room.loop, room.components->reconcile(key("g-work"), *room.pass));
  const auto left = room.cluster.find(kDeployments, kSpace, "g-work");
  EXPECT_EQ(left->root()["spec"]["replicas"].integer(), 7);
  EXPECT_FALSE(left->root()["metadata"]["ownerReferences"].exists());
}

// Deleted and made anew by somebody else, between our look and our write.
TEST(GraphControllers, AnObjectOfAnotherUidIsNotWritten) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  room.cluster.merge(kComponents, kSpace, "g-work", R"({"spec":{"replicas":3}})");
  room.stores->show();
  room.cluster.erase(kDeployments, kSpace, "g-work");
  room.cluster.put(kDeployments, R"({"metadata":{"name":"g-work","namespace":"ml"},)"
                                 R"("spec":{"replicas":7}})");
  const PassResult result =
      test::run(room.loop, room.components->reconcile(key("g-work"), *room.pass));
  EXPECT_EQ(result.kind, PassResult::Kind::kWait);
  EXPECT_EQ(room.cluster.find(kDeployments, kSpace, "g-work")->root()["spec"]["replicas"].integer(),
            7);
}

TEST(GraphControllers, WhatIsRefusedIsToldOnceAndTheOthersGoOn) {
  Room room;
  room.put_usual("bad");
  room.put_usual();
  room.begin();
  constexpr std::size_t kMany = 1'000;
  room.cluster.fail({.verb = kube::Verb::kPatch, .path = "/services/bad-work"},
                    {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, kMany);
  for (int i = 0; i < 4; ++i) {
    room.round();
    room.play();
  }
  EXPECT_EQ(room.state(), "successful");
  EXPECT_EQ(room.state("bad"), "pending");
  EXPECT_THAT(room.told(kComponents, "bad-work", "Available"), HasSubstr("Reconciling: apply"));
  EXPECT_THAT(room.told(kGraphs, "bad", "Ready"), HasSubstr("Forbidden"));
  room.pass->events.clear();
  const std::string before(room.cluster.find(kComponents, kSpace, "bad-work")->resource_version());
  EXPECT_EQ(room.look_at_component("bad-work").kind, PassResult::Kind::kRetry);
  EXPECT_EQ(room.cluster.find(kComponents, kSpace, "bad-work")->resource_version(), before);
  EXPECT_THAT(room.pass->events, Not(Contains(HasSubstr("ReconcileError"))));
}

TEST(GraphControllers, InANamespaceThatEndsNothingIsTold) {
  Room room;
  room.put_usual();
  room.begin();
  room.look_at_graph();
  room.cluster.fail({.verb = kube::Verb::kPatch, .path = "/deployments/g-work"},
                    {.kind = Fault::Kind::kStatus,
                     .status = 403,
                     .reason = "Forbidden",
                     .body = "unable to create new content in namespace ml because it is being "
                             "terminated"});
  EXPECT_EQ(room.look_at_component("g-work").kind, PassResult::Kind::kDone);
  const auto component = room.cluster.find(kComponents, kSpace, "g-work");
  EXPECT_FALSE(component->root()["status"].exists());
}

TEST(GraphControllers, ADefinitionThatIsMissingIsToldAndMayComeLater) {
  Room room;
  room.put_graph(R"({"Epp":{"componentType":"epp","replicas":1,"eppConfig":{"config":{"a":1}},)"
                 R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  room.begin();
  room.stores->missing = {"inferencepools"};
  EXPECT_EQ(room.look_at_graph().kind, PassResult::Kind::kWait);
  EXPECT_THAT(room.told(kGraphs, "g", "Ready"), HasSubstr("InferencePool g-pool"));
  room.stores->missing.clear();
  room.settle();
  EXPECT_THAT(room.names(kPools), ElementsAre("g-pool"));
  EXPECT_EQ(room.state(), "successful");
}

TEST(GraphControllers, BeforeItIsKnownWhatIsServedNothingIsDone) {
  Room room;
  room.know(api::Fact::kUnknown);
  room.put_usual();
  room.begin();
  EXPECT_EQ(room.look_at_graph().kind, PassResult::Kind::kWait);
  EXPECT_EQ(room.writes(), 0U);
}

TEST(GraphControllers, WhereGroveIsServedAGraphMustDoWithout) {
  Room room;
  room.know(api::Fact::kYes);
  room.put_usual();
  room.begin();
  room.settle();
  EXPECT_EQ(room.state(), "failed");
  EXPECT_THAT(room.told(kGraphs, "g", "Ready"), HasSubstr("grove_is_not_supported"));
  EXPECT_THAT(room.names(kComponents), IsEmpty());
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"metadata":{"annotations":{"nvidia.com/enable-grove":"false"}}})");
  room.settle();
  EXPECT_EQ(room.state(), "successful");
}

TEST(GraphControllers, ADeadEtcdHoldsUpNoDeletion) {
  ChildSettings settings = Room::usual();
  settings.environment.profile.discovery = render::Discovery::kEtcd;
  settings.etcd_url = "https://etcd:2379";
  Room room(settings);
  room.put_usual();
  room.begin();
  room.settle();
  room.cluster.erase(kComponents, kSpace, "g-work");
  ASSERT_TRUE(room.cluster.find(kComponents, kSpace, "g-work")) << "its finalizer holds it";
  room.look_at_component("g-work");
  EXPECT_FALSE(room.cluster.find(kComponents, kSpace, "g-work"));
  EXPECT_THAT(room.etcd->asked, ElementsAre("https://etcd:2379/v3/kv/deleterange"));
  EXPECT_THAT(room.pass->events,
              Contains("Warning EtcdNotCleaned on DynamoComponentDeployment/g-work"));
}

TEST(GraphControllers, ADryRunCallsNobody) {
  ChildSettings settings = Room::usual();
  settings.environment.profile.discovery = render::Discovery::kEtcd;
  settings.etcd_url = "https://etcd:2379";
  Room room(settings);
  room.put_usual();
  room.begin();
  room.settle();
  room.cluster.erase(kComponents, kSpace, "g-work");
  const std::size_t before = room.writes();
  room.pass->dry_run = true;
  room.look_at_component("g-work");
  EXPECT_THAT(room.etcd->asked, IsEmpty());
  EXPECT_EQ(room.writes(), before);
  EXPECT_THAT(room.pass->printed, HasSubstr("/v3/kv/deleterange"));
}

TEST(GraphControllers, TheSecretOfMpiIsCopiedFromWhereItLies) {
  ChildSettings settings = Room::usual();
  settings.environment.profile.mpi_secret_name = "mpi";
  settings.mpi_secret_namespace = "system";
  Room room(settings);
  room.put_usual();
  room.begin();
  room.look_at_graph();
  EXPECT_THAT(room.told(kGraphs, "g", "Ready"), HasSubstr("Secret mpi must exist"));
  room.cluster.put(kube::kSecrets, R"({"metadata":{"name":"mpi","namespace":"system"},)"
                                   R"("type":"Opaque","data":{"key":"a2V5"}})");
  room.settle();
  const auto copy = room.cluster.find(kube::kSecrets, kSpace, "mpi");
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->root()["data"]["key"].string_or_empty(), "a2V5");
  EXPECT_EQ(room.state(), "successful");
}

TEST(GraphControllers, ASecretThatMayNotBeReadIsToldAndHoldsUpNoDeletion) {
  ChildSettings settings = Room::usual();
  settings.environment.profile.mpi_secret_name = "mpi";
  settings.mpi_secret_namespace = "system";
  Room room(settings);
  room.put_usual();
  room.begin();
  room.look_at_graph();
  constexpr std::size_t kMany = 1'000;
  room.cluster.fail({.verb = kube::Verb::kGet, .path = "/secrets/mpi"},
                    {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, kMany);
  EXPECT_EQ(room.look_at_graph().kind, PassResult::Kind::kRetry);
  EXPECT_THAT(room.told(kGraphs, "g", "Ready"), HasSubstr("Forbidden"));
  room.cluster.erase(kGraphs, kSpace, "g");
  room.look_at_graph();
  EXPECT_FALSE(room.cluster.find(kGraphs, kSpace, "g"));
}

TEST(GraphControllers, PodsGetTheSecretsOfTheirRegistries) {
  Room room;
  // {"auths":{"nvcr.io":{}}}
  room.cluster.put(kube::kSecrets,
                   R"({"metadata":{"name":"pull","namespace":"ml"},)"
                   R"("type":"kubernetes.io/dockerconfigjson",)"
                   R"("data":{".dockerconfigjson":"eyJhdXRocyI6eyJudmNyLmlvIjp7fX19"}})");
  room.put_graph(R"({"Work":)" + Room::service("worker", "nvcr.io/x/y:1") + "}");
  room.begin();
  room.settle();
  const auto deployment = room.cluster.find(kDeployments, kSpace, "g-work");
  const json::Value pod = deployment->root()["spec"]["template"]["spec"];
  EXPECT_EQ(json::to_text(pod["imagePullSecrets"]), R"([{"name":"pull"}])");
}

// --- What wakes whom.

class WakingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    room_.put_usual();
    room_.begin();
    room_.settle();
    room_.stores->show();
  }
  std::vector<std::string> woken(const Controller& controller, const kube::Resource& of,
                                 const std::optional<kube::Object>& before,
                                 const std::optional<kube::Object>& now) {
    const kube::Object& any = now ? *now : *before;
    const kube::ObjectKey changed = kube::key_of(any);
    std::vector<kube::ObjectKey> keys;
    controller.keys_for(
        of, {.key = changed, .before = before ? &*before : nullptr, .now = now ? &*now : nullptr},
        *room_.stores, keys);
    std::vector<std::string> names;
    for (const kube::ObjectKey& each : keys) names.push_back(each.name);
    return names;
  }
  static kube::Object object(const std::string& text) { return kube::Object::parse(text).value(); }

  Room room_;
};

TEST_F(WakingTest, AChildWakesItsOwner) {
  const auto deployment = room_.cluster.find(kDeployments, kSpace, "g-work");
  EXPECT_THAT(woken(*room_.components, kDeployments, deployment, deployment),
              ElementsAre("g-work"));
  const auto component = room_.cluster.find(kComponents, kSpace, "g-work");
  EXPECT_THAT(woken(*room_.graphs, kComponents, component, std::nullopt), ElementsAre("g"));
}

TEST_F(WakingTest, ANameThatBecomesFreeWakesWhoMayWaitForIt) {
  const kube::Object foreign =
      object(R"({"kind":"Service","metadata":{"name":"g-work-d","namespace":"ml"}})");
  EXPECT_THAT(woken(*room_.components, kube::kServices, foreign, std::nullopt),
              ElementsAre("g-work"));
  EXPECT_THAT(woken(*room_.components, kube::kServices, std::nullopt, foreign), IsEmpty());
}

TEST_F(WakingTest, WhatAllPodsOfANamespaceDependOnWakesAllOfIt) {
  const kube::Object secret = object(R"({"metadata":{"name":"pull","namespace":"ml"}})");
  EXPECT_THAT(woken(*room_.components, kube::kSecrets, std::nullopt, secret),
              ElementsAre("g-front", "g-work"));
  const kube::Object account = object(R"({"metadata":{"name":"a","namespace":"ml"}})");
  EXPECT_THAT(woken(*room_.components, kAccounts, std::nullopt, account), IsEmpty());
  const kube::Object marked = object(
      R"({"metadata":{"name":"a","namespace":"ml","labels":{"nvidia.com/dynamo-component-pod":"true"}}})");
  EXPECT_THAT(woken(*room_.components, kAccounts, account, marked), SizeIs(2));
}

TEST_F(WakingTest, AClaimThatComesWakesTheGraphsOfItsNamespace) {
  const kube::Object claim = object(R"({"metadata":{"name":"models","namespace":"ml"}})");
  EXPECT_THAT(woken(*room_.graphs, kube::kPersistentVolumeClaims, std::nullopt, claim),
              ElementsAre("g"));
  EXPECT_THAT(woken(*room_.graphs, kube::kPersistentVolumeClaims, claim, claim), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler

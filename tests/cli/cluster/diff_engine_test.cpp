// The preview of an apply to a cluster in memory: objects in the namespace count, and conflicts are
// reported.
#include "cli/cluster/diff_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "tests/support/fake_cluster.hpp"
#include "text/base64.hpp"

namespace dynamo::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr kube::Resource kServices{"", "v1", "services", "Service"};
constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
constexpr kube::Resource kRequests{"nvidia.com", "v1alpha1", "dynamographdeploymentrequests",
                                   "DynamoGraphDeploymentRequest"};
constexpr kube::Resource kAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};

std::string graph(std::string_view image, std::string_view more = "") {
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{)"
         R"("name":"g","namespace":"ml"},"spec":{"services":{"Front":{"componentType":)"
         R"("frontend","extraPodSpec":{"mainContainer":{"image":")" +
         std::string(image) + R"("}}}})" + std::string(more) + "}}";
}

std::string component(std::string_view graph_uid, std::string_view spec = "{}") {
  return R"({"metadata":{"name":"g-front","namespace":"ml","ownerReferences":[{)"
         R"("apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"g",)"
         R"("controller":true,"uid":")" +
         std::string(graph_uid) + R"("}]},"spec":)" + std::string(spec) + "}";
}

class DiffEngineTest : public testing::Test {
 protected:
  DiffEngineTest() {
    cluster_.set_groups(
        {"apps", "batch", "nvidia.com", "networking.k8s.io", "rbac.authorization.k8s.io"});
    settings_.environment.profile = render::default_operator_profile();
    settings_.environment.namespace_restricted = true;
    settings_.facts.grove_served = api::Fact::kNo;
    settings_.facts.leader_worker_set_served = api::Fact::kNo;
  }

  // With a new engine, as in a command.
  kube::Result<PlannedChanges> ask(const std::string& object,
                                   api::Kind kind = api::Kind::kGraphDeployment) {
    DiffEngine engine(*transport_, loop_, "https://c:6443");
    const auto served = engine.served();
    if (!served) return served.error();
    const auto parsed = json::parse_copy(object);
    auto planned = engine.compute_diff(
        settings_, {.kind = kind, .namespace_name = "ml", .name = "g", .value = parsed->root()},
        true);
    notes_ = engine.take_notes();
    return planned;
  }

  // "~ Deployment g-front rolls: …"
  std::vector<std::string> changes(const std::string& object) {
    const auto planned = ask(object).value();
    EXPECT_THAT(planned.now.refused, IsEmpty());
    std::vector<std::string> lines;
    for (const render::TreeChange& each : planned.changes) {
      lines.push_back(std::string(1, "+~-"[static_cast<std::size_t>(each.operation)]) + " " +
                      each.kind + " " + each.name + (each.rolls ? " rolls" : "") +
                      (each.changes.empty() ? "" : ": " + each.changes));
    }
    return lines;
  }

  void store(const std::string& object) { cluster_.put(reconciler::kGraphs, object); }
  std::string uid() const {
    const auto stored = cluster_.find(reconciler::kGraphs, "ml", "g");
    return stored ? std::string(stored->uid()) : "";
  }

  test::FakeCluster cluster_;
  boost::asio::io_context loop_;
  std::unique_ptr<kube::Transport> transport_ = cluster_.connect();
  DiffSettings settings_;
  std::vector<std::string> notes_;
};

TEST_F(DiffEngineTest, NewObjectCreatesEverything) {
  EXPECT_THAT(
      changes(graph("a:1")),
      ElementsAre("+ ServiceAccount g-k8s-service-discovery", "+ Role g-k8s-service-discovery-role",
                  "+ RoleBinding g-k8s-service-discovery-binding",
                  "+ DynamoComponentDeployment g-front", "+ Deployment g-front",
                  "+ Service g-front", "+ Service g-front-p", "+ Service g-front-d"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DiffEngineTest, StoredObjectIsTheOldSide) {
  store(graph("a:1"));
  EXPECT_THAT(changes(graph("a:1")), IsEmpty());
  const auto lines = changes(graph("a:2"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1], HasSubstr("~ Deployment g-front rolls: "));
  EXPECT_THAT(lines[1], HasSubstr(R"(image is "a:2" and was "a:1")"));
}

TEST_F(DiffEngineTest, NamespaceObjectsAffectPods) {
  const std::string config = text::encode_base64(R"({"auths":{"registry.example.com":{}}})");
  cluster_.put(kube::kSecrets, R"({"metadata":{"name":"pull","namespace":"ml"},"type":)"
                               R"("kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":")" +
                                   config + R"("}})");
  cluster_.put(kAccounts, R"({"metadata":{"name":"pods","namespace":"ml","labels":)"
                          R"({"nvidia.com/dynamo-component-pod":"true"}}})");
  settings_.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  const auto planned = ask(graph("registry.example.com/a:1")).value();
  std::string deployment;
  for (const render::DesiredObject& desired : planned.now.items) {
    if (desired.kind == "Deployment") deployment = desired.manifest;
  }
  EXPECT_THAT(deployment, HasSubstr(R"("imagePullSecrets":[{"name":"pull"}])"));
  EXPECT_THAT(deployment, HasSubstr(R"("serviceAccountName":"pods")"));
}

// The old side is v1alpha1, as the cluster returns it, and the new one v1beta1.
TEST_F(DiffEngineTest, LaterOperatorsRenderBothVersions) {
  settings_.facts.operator_generation = api::OperatorGeneration::kLater;
  settings_.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  const auto beta = [](std::string_view image) {
    return R"({"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{)"
           R"("name":"g","namespace":"ml"},"spec":{"components":[{"name":"Front","type":)"
           R"("frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":")" +
           std::string(image) + R"("}]}}}]}})";
  };
  EXPECT_THAT(changes(beta("a:1")), ElementsAre("+ DynamoComponentDeployment g-front",
                                                "+ Deployment g-front", "+ Service g-front"));
  store(graph("a:1"));
  EXPECT_THAT(changes(graph("a:1")), IsEmpty());
  EXPECT_THAT(changes(beta("a:2")), Contains(HasSubstr("~ Deployment g-front rolls: ")));
  EXPECT_THAT(changes(graph("a:2")), Contains(HasSubstr("~ Deployment g-front rolls: ")));
}

// Like the graph's controller, which derives a restart from its status and components.
TEST_F(DiffEngineTest, RestartRollsItsServices) {
  store(graph("a:1"));
  cluster_.put(reconciler::kComponents, component(uid()));
  EXPECT_THAT(changes(graph("a:1", R"(,"restart":{"id":"r1"})")),
              Contains(HasSubstr("~ Deployment g-front rolls: ")));
}

TEST_F(DiffEngineTest, CompletedRestartIsNoChange) {
  const std::string restart = R"(,"restart":{"id":"r1"})";
  const std::string carries = R"({"annotations":{"nvidia.com/restartAt":"r1"}})";
  cluster_.put(reconciler::kComponents, component(uid(), carries));
  std::string stored = graph("a:1", restart);
  stored.insert(stored.size() - 1,
                R"(,"status":{"restart":{"observedID":"r1","phase":"Completed"}})");
  store(stored);
  EXPECT_THAT(changes(graph("a:1", restart)), IsEmpty());
  EXPECT_THAT(changes(graph("a:1")), IsEmpty()) << "what carries a restart keeps it";
}

TEST_F(DiffEngineTest, ExistingObjectsAreNotCreated) {
  settings_.environment.namespace_restricted = false;
  settings_.environment.planner_cluster_role = "planners";
  EXPECT_THAT(changes(graph("a:1")), Contains("+ ServiceAccount planner-serviceaccount"));
  cluster_.put(kAccounts, R"({"metadata":{"name":"planner-serviceaccount","namespace":"ml"}})");
  EXPECT_THAT(changes(graph("a:1")), Not(Contains("+ ServiceAccount planner-serviceaccount")));
}

TEST_F(DiffEngineTest, ConflictingObjectsAreObstacles) {
  cluster_.put(kServices, R"({"metadata":{"name":"g-front","namespace":"ml"}})");
  const auto planned = ask(graph("a:1")).value();
  EXPECT_THAT(planned.obstacles,
              ElementsAre("Service g-front must be free to be created; found an object without "
                          "an owner: delete or rename it, or rename this object"));
  EXPECT_THAT(changes(graph("a:1")), Not(Contains("+ Service g-front")));
}

// The graph's controller has already found it in the namespace.
TEST_F(DiffEngineTest, ForeignObjectsAreReportedAndNotChanged) {
  store(graph("a:1"));
  cluster_.put(reconciler::kComponents, component(uid()));
  cluster_.put(kDeployments, R"({"metadata":{"name":"g-front","namespace":"ml"}})");
  EXPECT_THAT(ask(graph("a:2")).value().obstacles,
              ElementsAre("Deployment g-front must be free to be created; found an object "
                          "without an owner: delete or rename it, or rename this object"));
  EXPECT_THAT(changes(graph("a:2")),
              ElementsAre(HasSubstr("~ DynamoComponentDeployment g-front: ")));
}

TEST_F(DiffEngineTest, RunningGraphIgnoresGroveInstalledLater) {
  settings_.facts.grove_served = api::Fact::kYes;
  cluster_.set_groups({"apps", "nvidia.com", "rbac.authorization.k8s.io", "grove.io"});
  store(graph("a:1"));
  EXPECT_THAT(changes(graph("a:2")), Contains(HasSubstr("~ PodCliqueSet g rolls: ")));
  cluster_.put(reconciler::kComponents, component(uid()));
  EXPECT_THAT(changes(graph("a:2")), Contains(HasSubstr("~ Deployment g-front rolls: ")));
}

TEST_F(DiffEngineTest, GraphThatLeavesGroveIsAnObstacle) {
  settings_.facts.grove_served = api::Fact::kYes;
  cluster_.set_groups({"grove.io"});
  store(graph("a:1"));
  cluster_.put(reconciler::kPodCliqueSets,
               R"({"metadata":{"name":"g","namespace":"ml","ownerReferences":[{"kind":)"
               R"("DynamoGraphDeployment","name":"g","controller":true,"uid":")" +
                   uid() + R"("}]}})");
  std::string without = graph("a:1");
  without.insert(without.find(R"("namespace")"),
                 R"("annotations":{"nvidia.com/enable-grove":"false"},)");
  const auto planned = ask(without).value();
  EXPECT_THAT(planned.obstacles,
              ElementsAre(HasSubstr("must not be \"false\" while a PodCliqueSet")));
  EXPECT_THAT(planned.changes, IsEmpty());
}

TEST_F(DiffEngineTest, UnreadableObjectsAreReportedOnce) {
  cluster_.forbid("list", "secrets");
  EXPECT_THAT(changes(graph("a:1")), Contains("+ Deployment g-front"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("rendered without the Secrets of registries: ")));
}

TEST_F(DiffEngineTest, UnreachableClusterIsOneLine) {
  cluster_.set_reachable(false);
  const auto planned = ask(graph("a:1"));
  ASSERT_FALSE(planned);
  EXPECT_THAT(planned.error().text, Not(HasSubstr("\n")));
}

TEST_F(DiffEngineTest, CheckpointsPhaseDecidesOnItsJob) {
  const auto checkpoint = [](const std::string& image, const std::string& phase) {
    return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoCheckpoint","metadata":{)"
           R"("name":"g","namespace":"ml"},"spec":{"identity":{"model":"m","backendFramework":)"
           R"("vllm"},"job":{"podTemplateSpec":{"spec":{"containers":[{"name":"main","image":")" +
           image + R"("}]}}}},"status":{"phase":")" + phase + R"("}})";
  };
  const auto changes_from = [&](const std::string& phase) {
    cluster_.put(reconciler::find_managed_kind("DynamoCheckpoint")->resource,
                 checkpoint("a:1", phase));
    return ask(checkpoint("a:2", phase), api::Kind::kCheckpoint).value().changes;
  };
  EXPECT_THAT(changes_from("Creating"), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("DynamoCheckpoint g is Creating: its Job checkpoint-g stays "
                                  "unchanged"));
  for (const char* const phase : {"Pending", "Failed"}) {
    const auto created = changes_from(phase);
    ASSERT_EQ(created.size(), 1U);
    EXPECT_EQ(created[0].name, "checkpoint-g");
    EXPECT_EQ(created[0].operation, render::TreeChange::Operation::kCreate);
    EXPECT_FALSE(created[0].rolls);
  }
}

TEST_F(DiffEngineTest, RequestsStateDecidesOnItsJob) {
  const auto request = [](const std::string& image, const std::string& state) {
    return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest",)"
           R"("metadata":{"name":"g","namespace":"ml"},"spec":{"model":"m","backend":"vllm",)"
           R"("profilingConfig":{"profilerImage":")" +
           image + R"(","config":{"sla":{"ttft":1}}}},"status":{"state":")" + state + R"("}})";
  };
  const auto changes_from = [&](const std::string& state) {
    cluster_.put(kRequests, request("a:1", state));
    return ask(request("a:2", state), api::Kind::kGraphDeploymentRequest).value().changes;
  };
  for (const std::string state : {"Profiling", "Deploying", "Ready", "DeploymentDeleted"}) {
    EXPECT_THAT(changes_from(state), IsEmpty()) << state;
    EXPECT_THAT(notes_, ElementsAre("DynamoGraphDeploymentRequest g is " + state +
                                    ": its Job profile-g stays unchanged"));
  }
  for (const char* const state : {"Pending", "Failed"}) {
    const auto created = changes_from(state);
    ASSERT_EQ(created.size(), 1U) << state;
    EXPECT_EQ(created[0].name, "profile-g");
    EXPECT_EQ(created[0].operation, render::TreeChange::Operation::kCreate);
  }
}

TEST_F(DiffEngineTest, MpiSecretIsShownWithoutItsKeys) {
  constexpr std::string_view kGraph =
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{)"
      R"("name":"g","namespace":"ml"},"spec":{"backendFramework":"trtllm","services":{"W":{)"
      R"("componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"1"}},)"
      R"("extraPodSpec":{"mainContainer":{"image":"a:1","command":["python3"],)"
      R"("args":["-m","dynamo.trtllm"]}}}}}})";
  settings_.environment.profile.mpi_secret_name = "keys";
  settings_.facts.leader_worker_set_served = api::Fact::kYes;
  cluster_.put(kube::kSecrets, R"({"metadata":{"name":"keys","namespace":"system"},)"
                               R"("type":"Opaque","data":{"private.key":"c2VjcmV0"}})");
  for (const bool is_copied : {false, true}) {
    settings_.mpi_secret_copies = {.source_namespace = "system", .namespaces = {}};
    if (is_copied) settings_.mpi_secret_copies.namespaces = {"m*"};
    const PlannedChanges planned = ask(std::string(kGraph)).value();
    const auto secret =
        std::ranges::find(planned.now.items, "Secret", &render::DesiredObject::kind);
    ASSERT_NE(secret, planned.now.items.end());
    EXPECT_THAT(secret->manifest, HasSubstr(R"("private.key":"***")"));
    EXPECT_THAT(secret->manifest, Not(HasSubstr("c2VjcmV0")));
  }
  EXPECT_THAT(changes(graph("a:1")), Not(Contains(HasSubstr("Secret"))));
}

TEST_F(DiffEngineTest, NothingIsWritten) {
  store(graph("a:1"));
  cluster_.clear_calls();
  changes(graph("a:2"));
  EXPECT_EQ(cluster_.count({}), cluster_.count({.method = kube::HttpMethod::kGet}));
}

}  // namespace
}  // namespace dynamo::cli

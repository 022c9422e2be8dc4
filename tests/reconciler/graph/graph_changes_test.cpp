// Changes after the creation of a graph: new definitions, Grove, and objects that its pods wait
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reconciler/graph/graph_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ReconcileResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(GraphControllers, MissingDefinitionIsReportedUntilInstalled) {
  GraphFixture fixture;
  fixture.put_graph(R"({"Epp":{"componentType":"epp","replicas":1,"eppConfig":{"config":{"a":1}},)"
                    R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  fixture.start_process();
  fixture.cache->missing = {"inferencepools"};
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("InferencePool g-pool"));
  fixture.cache->missing.clear();
  fixture.settle();
  EXPECT_THAT(fixture.names(kPools), ElementsAre("g-pool"));
  EXPECT_EQ(fixture.state(), "successful");
}

TEST(GraphControllers, NothingIsWrittenBeforeServedApisAreKnown) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kUnknown);
  fixture.start_with_default_graph();
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(fixture.writes(), 0U);
}

constexpr kube::Resource kServices{"", "v1", "services", "Service"};

// Simulates Grove: it creates a clique per service on one node, and its pods are ready at once.
void run_grove(GraphFixture& fixture, std::int64_t replicas = 1) {
  for (const kube::Object& set : fixture.cluster.all(kPodCliqueSets)) {
    const std::string generation = std::to_string(kube::generation_of(set));
    fixture.cluster.merge(kPodCliqueSets, kSpace, set.name(),
                          R"({"status":{"observedGeneration":)" + generation + "}}", "grove");
    const std::string count = std::to_string(replicas);
    const json::Value cliques = set.root()["spec"]["template"]["cliques"];
    for (const json::Value clique : cliques.elements()) {
      const std::string name =
          std::string(set.name()) + "-0-" + std::string(clique["name"].string_or_empty());
      fixture.cluster.put(
          kPodCliques,
          R"({"metadata":{"name":")" + name + R"(","namespace":"ml","generation":1,"labels":)" +
              json::to_text(clique["labels"]) +
              R"(,"ownerReferences":[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet",)"
              R"("name":")" +
              std::string(set.name()) + R"(","uid":")" + std::string(set.uid()) +
              R"(","controller":true}]},"spec":{"replicas":)" + count +
              R"(},"status":{"observedGeneration":1,"replicas":)" + count +
              R"(,"updatedReplicas":)" + count + R"(,"readyReplicas":)" + count + "}}");
    }
  }
}

TEST(GraphControllers, GroveRunsGraphWhereItIsServed) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.start_with_default_graph();
  fixture.settle();
  EXPECT_EQ(fixture.state(), "pending");
  EXPECT_THAT(fixture.names(kPodCliqueSets), ElementsAre("g"));
  EXPECT_THAT(fixture.names(kServices), ElementsAre("g-front", "g-work"));
  EXPECT_THAT(fixture.names(kComponents), IsEmpty());
  run_grove(fixture);
  fixture.settle();
  EXPECT_EQ(fixture.state(), "successful");
  // The annotation changes nothing while the set exists.
  fixture.cluster.merge(kGraphs, kSpace, "g",
                        R"({"metadata":{"annotations":{"nvidia.com/enable-grove":"false"}}})");
  fixture.settle();
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("pathway_cannot_change"));
  EXPECT_THAT(fixture.names(kPodCliqueSets), ElementsAre("g"));
  EXPECT_THAT(fixture.names(kComponents), IsEmpty());
}

TEST(GraphControllers, OtherReplicaCountOfCliqueIsScaledBack) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.start_with_default_graph();
  fixture.settle();
  run_grove(fixture, 3);
  fixture.reconcile_graph();
  EXPECT_EQ(fixture.cluster.count({.method = kube::HttpMethod::kPatch, .path = "/g-0-work/scale"}),
            1U);
}

TEST(GraphControllers, DeletedCliqueIsNotScaled) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.start_with_default_graph();
  fixture.settle();
  run_grove(fixture, 3);
  fixture.cluster.fail({.method = kube::HttpMethod::kPatch, .path = "/scale"},
                       {.kind = test::Fault::Kind::kStatus, .status = 404, .reason = "NotFound"},
                       2);
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(fixture.state(), "pending");
}

TEST(GraphControllers, GraphIsRefusedWhileGroveIsNotServed) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.start_with_default_graph();
  fixture.settle();
  run_grove(fixture);
  fixture.settle();
  fixture.cache->missing = {"podcliquesets", "podcliques", "podcliquescalinggroups"};
  fixture.set_served_kinds(api::Fact::kNo);
  fixture.reconcile_graph();
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("pathway_cannot_change"));
  EXPECT_THAT(fixture.names(kComponents), IsEmpty());
  fixture.cache->missing.clear();
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.settle();
  EXPECT_EQ(fixture.state(), "successful");
}

TEST(GraphControllers, MissingQueueIsReportedUntilItExists) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kYes, api::Fact::kNo, api::Fact::kYes);
  fixture.start_with_default_graph();
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("Queue dynamo of KAI must exist"));
  EXPECT_THAT(fixture.names(kPodCliqueSets), IsEmpty());
  fixture.cluster.put(kQueues, R"({"metadata":{"name":"dynamo"}})");
  fixture.settle();
  EXPECT_THAT(fixture.names(kPodCliqueSets), ElementsAre("g"));
}

RenderSettings cluster_wide_settings() {
  RenderSettings settings = GraphFixture::default_settings();
  settings.environment.namespace_restricted = false;
  return settings;
}

TEST(GraphControllers, NewQueueTriggersGraphsThatNameIt) {
  GraphFixture fixture(cluster_wide_settings());
  fixture.put_default_graph("plain");
  fixture.cluster.put(kGraphs,
                      R"({"metadata":{"name":"golden","namespace":"ml","generation":1,)"
                      R"("annotations":{"nvidia.com/kai-scheduler-queue":"gold"}},"spec":{}})");
  fixture.start_process();
  const auto keys_of = [&fixture](const std::string& name, bool is_change) {
    const kube::Object queue =
        *kube::Object::parse(R"({"kind":"Queue","metadata":{"name":")" + name + R"("}})");
    std::vector<kube::ObjectKey> keys;
    fixture.graphs->map_to_requests(kQueues,
                                    {.key = {.namespace_name = "", .name = name},
                                     .before = is_change ? &queue : nullptr,
                                     .now = &queue},
                                    *fixture.cache, keys);
    return keys;
  };
  EXPECT_THAT(keys_of("gold", false), ElementsAre(key("golden")));
  EXPECT_THAT(keys_of("dynamo", false), ElementsAre(key("plain")));
  EXPECT_THAT(keys_of("silver", false), IsEmpty());
  EXPECT_THAT(keys_of("gold", true), IsEmpty());
}

TEST(GraphControllers, KnownQueueIsNotReadAgain) {
  GraphFixture fixture(cluster_wide_settings());
  fixture.set_served_kinds(api::Fact::kYes, api::Fact::kNo, api::Fact::kYes);
  fixture.start_with_default_graph();
  fixture.reconcile_graph();
  const test::Match reads{.method = kube::HttpMethod::kGet, .path = "/queues/dynamo"};
  EXPECT_EQ(fixture.cluster.count(reads), 1U);
  fixture.cluster.put(kQueues, R"({"metadata":{"name":"dynamo"}})");
  fixture.reconcile_graph();
  EXPECT_EQ(fixture.cluster.count(reads), 1U);
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), Not(HasSubstr("Queue dynamo")));
}

TEST(GraphControllers, ChangeOfCliqueRequestsReconcileOfGraph) {
  GraphFixture fixture;
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.start_with_default_graph();
  fixture.settle();
  run_grove(fixture);
  const auto keys_of = [&fixture](const std::string& metadata) {
    const kube::Object clique =
        *kube::Object::parse(R"({"kind":"PodClique","metadata":)" + metadata + "}");
    std::vector<kube::ObjectKey> keys;
    fixture.graphs->map_to_requests(
        kPodCliques, {.key = key("c"), .before = nullptr, .now = &clique}, *fixture.cache, keys);
    return keys;
  };
  EXPECT_THAT(keys_of(R"({"labels":{"nvidia.com/dynamo-graph-deployment-name":"g"}})"),
              ElementsAre(key("g")));
  EXPECT_THAT(keys_of(R"({"ownerReferences":[{"kind":"PodCliqueSet","name":"g","uid":"x",)"
                      R"("controller":true}]})"),
              ElementsAre(key("g")));
  EXPECT_THAT(keys_of("{}"), IsEmpty());
}

TEST(GraphControllers, RunningGraphContinuesWhenGroveIsInstalled) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  const std::vector<std::string> before = fixture.snapshot();
  fixture.set_served_kinds(api::Fact::kYes);
  fixture.put_default_graph("late");
  fixture.settle();
  EXPECT_EQ(fixture.state("late"), "pending");
  EXPECT_THAT(fixture.names(kPodCliqueSets), ElementsAre("late"));
  EXPECT_EQ(fixture.state(), "successful");
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "RunsByGrove"),
              HasSubstr("ComponentsRunAlready: metadata.annotations[nvidia.com/enable-grove]"));
  EXPECT_EQ(fixture.cluster.all(kComponents).size(), 2U);
  // The event is emitted once, and later changes still roll out.
  const std::size_t quiet = fixture.writes();
  fixture.reconcile_all();
  EXPECT_EQ(fixture.writes(), quiet);
  fixture.put_graph(R"({"Front":)" + GraphFixture::service("frontend", "b:2") + R"(,"Work":)" +
                    GraphFixture::service("worker") + "}");
  fixture.settle();
  EXPECT_EQ(fixture.state(), "successful");
  EXPECT_THAT(json::to_text(fixture.cluster.find(kDeployments, kSpace, "g-front")->root()),
              HasSubstr("b:2"));
  // The condition is removed if the annotation disables Grove.
  fixture.cluster.merge(kGraphs, kSpace, "g",
                        R"({"metadata":{"annotations":{"nvidia.com/enable-grove":"false"}}})");
  fixture.settle();
  EXPECT_EQ(fixture.condition_text(kGraphs, "g", "RunsByGrove"), "");
  EXPECT_GT(fixture.snapshot().size(), before.size());
}

TEST(GraphControllers, MissingReferencesAreReportedUntilTheyExist) {
  GraphFixture fixture;
  fixture.put_graph(
      R"({"Work":{"componentType":"worker","envFromSecret":"hf","extraPodSpec":)"
      R"({"mainContainer":{"image":"a:1"},"volumes":[{"name":"v","configMap":)"
      R"({"name":"cm"}},{"name":"p","persistentVolumeClaim":{"claimName":"pvc"}},{"name":"o","secret":{"secretName":"x","optional":true}}]}}})");
  fixture.put_default_graph("other");
  fixture.start_process();
  fixture.reconcile_all();
  fixture.reconcile_all();
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("DeploymentNotReady"));
  // Pods that do not exist yet are not late; existing pods get time to start.
  EXPECT_EQ(fixture.reconcile_component("g-work").kind, ReconcileResult::Kind::kDone);
  const auto set_deployment_status = [&fixture](const std::string& status) {
    fixture.cluster.merge(kDeployments, kSpace, "g-work", R"({"status":)" + status + "}",
                          "kube-controller-manager");
  };
  set_deployment_status(
      R"({"observedGeneration":9,"replicas":1,"updatedReplicas":1,"unavailableReplicas":1})");
  EXPECT_EQ(fixture.reconcile_component("g-work").kind, ReconcileResult::Kind::kRequeue);
  fixture.reconcile_component("g-work");
  EXPECT_EQ(fixture.cluster.count({.method = kube::HttpMethod::kGet, .path = "/secrets/"}), 0U);
  fixture.clock.tick(std::chrono::seconds(31));
  const ReconcileResult late = fixture.reconcile_component("g-work");
  EXPECT_EQ(late.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_GE(late.pause, std::chrono::seconds(60));
  EXPECT_EQ(fixture.condition_text(kComponents, "g-work", "Available"),
            "ObjectMissing: spec.envFromSecret: must name a Secret of the namespace; found none of "
            "the name \"hf\"; spec.extraPodSpec.volumes[0].configMap.name: must name a ConfigMap "
            "of the namespace; found none of the name \"cm\"; "
            "spec.extraPodSpec.volumes[1].persistentVolumeClaim.claimName: must name a "
            "PersistentVolumeClaim of the namespace; found none of the name \"pvc\"");
  fixture.reconcile_graph();
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("g-work: ObjectMissing (spec.envFrom"));
  const std::size_t quiet = fixture.writes();
  fixture.reconcile_component("g-work");
  EXPECT_EQ(fixture.writes(), quiet);
  // Reads once a minute, independent of the number of triggers.
  const std::size_t reads =
      fixture.cluster.count({.method = kube::HttpMethod::kGet, .path = "/secrets/"});
  fixture.reconcile_component("g-work");
  EXPECT_EQ(fixture.cluster.count({.method = kube::HttpMethod::kGet, .path = "/secrets/"}), reads);
  // A new process does not withdraw a reported problem.
  fixture.start_process();
  fixture.reconcile_component("g-work");
  EXPECT_EQ(fixture.writes(), quiet);
  EXPECT_GT(fixture.cluster.count({.method = kube::HttpMethod::kGet, .path = "/secrets/"}), reads);
  // Objects appear one after the other; the other graph was never blocked.
  fixture.cluster.put(kube::kSecrets, R"({"metadata":{"name":"hf","namespace":"ml"}})");
  fixture.clock.tick(std::chrono::seconds(61));
  fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"), Not(HasSubstr("Secret")));
  fixture.cluster.put(kube::kConfigMaps, R"({"metadata":{"name":"cm","namespace":"ml"}})");
  fixture.cluster.put(find_managed_kind("PersistentVolumeClaim")->resource,
                      R"({"metadata":{"name":"pvc","namespace":"ml"}})");
  fixture.clock.tick(std::chrono::seconds(61));
  fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("DeploymentNotReady"));
  set_deployment_status(R"({"observedGeneration":0})");
  fixture.settle();
  EXPECT_EQ(fixture.reconcile_component("g-work").kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(fixture.state(), "successful");
  EXPECT_EQ(fixture.state("other"), "successful");
}

// Services and Roles have no generation, so it does not show that they are unchanged.
TEST(GraphControllers, ChangesByForeignWebhooksAreNotReverted) {
  GraphFixture fixture;
  fixture.cluster.rewrite(kube::Resource{"", "v1", "services", "Service"},
                          R"({"spec":{"publishNotReadyAddresses":true,"ports":[]}})");
  fixture.cluster.rewrite(kube::Resource{"rbac.authorization.k8s.io", "v1", "roles", "Role"},
                          R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");
  fixture.start_with_default_graph();
  fixture.run_rounds(4);
  EXPECT_EQ(fixture.state(), "successful");
  fixture.cluster.clear_calls();
  fixture.context->events.clear();
  for (int i = 0; i < 3; ++i) fixture.reconcile_all();
  EXPECT_EQ(fixture.writes(), 0U);
  EXPECT_THAT(fixture.context->events, IsEmpty());

  // A new process applies each object once more.
  fixture.start_process();
  for (int i = 0; i < 3; ++i) fixture.reconcile_all();
  EXPECT_EQ(fixture.writes(), 7U) << "six Services and a Role";
  EXPECT_THAT(fixture.context->events, IsEmpty());

  // Changes of the spec are still applied and reported.
  fixture.cluster.clear_calls();
  fixture.cluster.merge(kGraphs, kSpace, "g",
                        R"({"spec":{"services":{"Work":{"labels":{"team":"a"}}}}})");
  fixture.run_rounds(4);
  EXPECT_GT(fixture.writes(), 0U);
  fixture.cluster.clear_calls();
  fixture.context->events.clear();
  for (int i = 0; i < 3; ++i) fixture.reconcile_all();
  EXPECT_EQ(fixture.writes(), 0U);
  EXPECT_THAT(fixture.context->events, IsEmpty());
}

struct OutOfForm {
  const char* what;
  const char* given;  // in the service
  const char* field;  // the reported field, prefixed with "spec.services[Work]"
};
class InvalidMetadata : public ::testing::TestWithParam<OutOfForm> {};

// With webhooks off, the API server would refuse the rendered object without naming the user's
// field.
TEST_P(InvalidMetadata, InvalidMetadataIsReportedWithoutBlockingOthers) {
  GraphFixture fixture;
  std::string service = GraphFixture::service("worker");
  service.insert(1, std::string(GetParam().given) + ",");
  fixture.put_graph(R"({"Work":)" + service + "}", "bad");
  fixture.start_with_default_graph();
  EXPECT_EQ(fixture.reconcile_graph("bad").kind, ReconcileResult::Kind::kRetry);  // with back-off
  EXPECT_THAT(fixture.condition_text(kGraphs, "bad", "Ready"),
              HasSubstr(std::string("spec.services[Work].") + GetParam().field));
  EXPECT_EQ(fixture.state("bad"), "failed");
  fixture.settle();
  EXPECT_EQ(fixture.state("g"), "successful");
  EXPECT_THAT(fixture.names(kComponents), ElementsAre("g-front", "g-work"));
  const std::size_t before = fixture.writes();
  EXPECT_EQ(fixture.reconcile_graph("bad").kind, ReconcileResult::Kind::kRetry);
  EXPECT_EQ(fixture.writes(), before);
  fixture.put_graph(R"({"Work":)" + GraphFixture::service("worker") + "}", "bad");
  fixture.settle();
  EXPECT_EQ(fixture.state("bad"), "successful");
}

INSTANTIATE_TEST_SUITE_P(
    GraphControllers, InvalidMetadata,
    ::testing::Values(
        OutOfForm{"label_key", R"("labels":{"a b":"1"})", "labels[a b]: must have a key"},
        OutOfForm{"label_value", R"("labels":{"team":"not ok!"})", "labels[team]: must be at most"},
        OutOfForm{"annotation_key", R"("annotations":{"a b":"1"})",
                  "annotations[a b]: must have a key"},
        OutOfForm{"label_of_pods", R"("extraPodMetadata":{"labels":{"team":"-"}})",
                  "extraPodMetadata.labels[team]: must be at most"},
        OutOfForm{"key_of_pods", R"("extraPodMetadata":{"labels":{"/x":"1"}})",
                  "extraPodMetadata.labels[/x]: must have a key"},
        OutOfForm{"annotation_of_pods", R"("extraPodMetadata":{"annotations":{"x/":"1"}})",
                  "extraPodMetadata.annotations[x/]: must have a key"}),
    [](const auto& row) { return std::string(row.param.what); });

// Labels that identify the component override the user's labels.
TEST(GraphControllers, OverriddenServiceLabelIsNotValidated) {
  GraphFixture fixture;
  std::string service = GraphFixture::service("worker");
  service.insert(1, R"("labels":{"nvidia.com/dynamo-component":"not ok!"},)");
  fixture.put_graph(R"({"Work":)" + service + "}");
  fixture.start_process();
  fixture.settle();
  EXPECT_EQ(fixture.state(), "successful");
}

TEST(GraphControllers, InvalidLabelsOfStandaloneComponentAreReported) {
  GraphFixture fixture;
  fixture.cluster.put(
      kComponents,
      R"({"metadata":{"name":"w","namespace":"ml","generation":1},"spec":{"serviceName":"W",)"
      R"("componentType":"worker","dynamoNamespace":"d","replicas":1,"labels":{"team":"not ok!"},)"
      R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  fixture.start_process();
  EXPECT_EQ(fixture.reconcile_component("w").kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(fixture.condition_text(kComponents, "w", "Available"),
              HasSubstr("spec.labels[team]: must be at most"));
  EXPECT_THAT(fixture.names(kDeployments), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler

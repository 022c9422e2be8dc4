// Changes after the creation of a graph: new definitions, Grove, and objects that its pods wait
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reconciler/graph/room.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ReconcileResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(GraphControllers, MissingDefinitionIsReportedUntilInstalled) {
  Room room;
  room.put_graph(R"({"Epp":{"componentType":"epp","replicas":1,"eppConfig":{"config":{"a":1}},)"
                 R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  room.begin();
  room.cache->missing = {"inferencepools"};
  EXPECT_EQ(room.look_at_graph().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"), HasSubstr("InferencePool g-pool"));
  room.cache->missing.clear();
  room.settle();
  EXPECT_THAT(room.names(kPools), ElementsAre("g-pool"));
  EXPECT_EQ(room.state(), "successful");
}

TEST(GraphControllers, NothingIsWrittenBeforeServedApisAreKnown) {
  Room room;
  room.know(api::Fact::kUnknown);
  room.put_usual();
  room.begin();
  EXPECT_EQ(room.look_at_graph().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(room.writes(), 0U);
}

TEST(GraphControllers, GraphMustDisableGroveWhereItIsServed) {
  Room room;
  room.know(api::Fact::kYes);
  room.put_usual();
  room.begin();
  room.settle();
  EXPECT_EQ(room.state(), "failed");
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"), HasSubstr("grove_is_not_supported"));
  EXPECT_THAT(room.names(kComponents), IsEmpty());
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"metadata":{"annotations":{"nvidia.com/enable-grove":"false"}}})");
  room.settle();
  EXPECT_EQ(room.state(), "successful");
}

TEST(GraphControllers, RunningGraphContinuesWhenGroveIsInstalled) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  const std::vector<std::string> before = room.picture();
  room.know(api::Fact::kYes);
  room.put_usual("late");
  room.settle();
  EXPECT_EQ(room.state("late"), "failed");
  EXPECT_EQ(room.state(), "successful");
  EXPECT_THAT(room.condition_text(kGraphs, "g", "RunsByGrove"),
              HasSubstr("ComponentsRunAlready: metadata.annotations[nvidia.com/enable-grove]"));
  EXPECT_EQ(room.cluster.all(kComponents).size(), 2U);
  // The event is emitted once, and later changes still roll out.
  const std::size_t quiet = room.writes();
  room.round();
  EXPECT_EQ(room.writes(), quiet);
  room.put_graph(R"({"Front":)" + Room::service("frontend", "b:2") + R"(,"Work":)" +
                 Room::service("worker") + "}");
  room.settle();
  EXPECT_EQ(room.state(), "successful");
  EXPECT_THAT(json::to_text(room.cluster.find(kDeployments, kSpace, "g-front")->root()),
              HasSubstr("b:2"));
  // The condition is removed if the annotation disables Grove.
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"metadata":{"annotations":{"nvidia.com/enable-grove":"false"}}})");
  room.settle();
  EXPECT_EQ(room.condition_text(kGraphs, "g", "RunsByGrove"), "");
  EXPECT_EQ(before.size() + 1, room.picture().size());
}

TEST(GraphControllers, MissingReferencesAreReportedUntilTheyExist) {
  Room room;
  room.put_graph(
      R"({"Work":{"componentType":"worker","envFromSecret":"hf","extraPodSpec":)"
      R"({"mainContainer":{"image":"a:1"},"volumes":[{"name":"v","configMap":)"
      R"({"name":"cm"}},{"name":"p","persistentVolumeClaim":{"claimName":"pvc"}},{"name":"o","secret":{"secretName":"x","optional":true}}]}}})");
  room.put_usual("other");
  room.begin();
  room.round();
  room.round();
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("DeploymentNotReady"));
  // Pods that do not exist yet are not late; existing pods get time to start.
  EXPECT_EQ(room.look_at_component("g-work").kind, ReconcileResult::Kind::kDone);
  const auto set_deployment_status = [&room](const std::string& status) {
    room.cluster.merge(kDeployments, kSpace, "g-work", R"({"status":)" + status + "}",
                       "kube-controller-manager");
  };
  set_deployment_status(
      R"({"observedGeneration":9,"replicas":1,"updatedReplicas":1,"unavailableReplicas":1})");
  EXPECT_EQ(room.look_at_component("g-work").kind, ReconcileResult::Kind::kRequeue);
  room.look_at_component("g-work");
  EXPECT_EQ(room.cluster.count({.verb = kube::Verb::kGet, .path = "/secrets/"}), 0U);
  room.clock.tick(std::chrono::seconds(31));
  const ReconcileResult late = room.look_at_component("g-work");
  EXPECT_EQ(late.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_GE(late.pause, std::chrono::seconds(60));
  EXPECT_EQ(room.condition_text(kComponents, "g-work", "Available"),
            "ObjectMissing: spec.envFromSecret: must name a Secret of the namespace; found none of "
            "the name \"hf\"; spec.extraPodSpec.volumes[0].configMap.name: must name a ConfigMap "
            "of the namespace; found none of the name \"cm\"; "
            "spec.extraPodSpec.volumes[1].persistentVolumeClaim.claimName: must name a "
            "PersistentVolumeClaim of the namespace; found none of the name \"pvc\"");
  room.look_at_graph();
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("g-work: ObjectMissing (spec.envFrom"));
  const std::size_t quiet = room.writes();
  room.look_at_component("g-work");
  EXPECT_EQ(room.writes(), quiet);
  // Reads once a minute, independent of the number of triggers.
  const std::size_t reads = room.cluster.count({.verb = kube::Verb::kGet, .path = "/secrets/"});
  room.look_at_component("g-work");
  EXPECT_EQ(room.cluster.count({.verb = kube::Verb::kGet, .path = "/secrets/"}), reads);
  // A new process does not withdraw a reported problem.
  room.begin();
  room.look_at_component("g-work");
  EXPECT_EQ(room.writes(), quiet);
  EXPECT_GT(room.cluster.count({.verb = kube::Verb::kGet, .path = "/secrets/"}), reads);
  // Objects appear one after the other; the other graph was never blocked.
  room.cluster.put(kube::kSecrets, R"({"metadata":{"name":"hf","namespace":"ml"}})");
  room.clock.tick(std::chrono::seconds(61));
  room.look_at_component("g-work");
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Available"), Not(HasSubstr("Secret")));
  room.cluster.put(kube::kConfigMaps, R"({"metadata":{"name":"cm","namespace":"ml"}})");
  room.cluster.put(find_managed_kind("PersistentVolumeClaim")->resource,
                   R"({"metadata":{"name":"pvc","namespace":"ml"}})");
  room.clock.tick(std::chrono::seconds(61));
  room.look_at_component("g-work");
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("DeploymentNotReady"));
  set_deployment_status(R"({"observedGeneration":0})");
  room.settle();
  EXPECT_EQ(room.look_at_component("g-work").kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(room.state(), "successful");
  EXPECT_EQ(room.state("other"), "successful");
}

// Services and Roles have no generation, so it does not show that they are unchanged.
TEST(GraphControllers, ChangesByForeignWebhooksAreNotReverted) {
  Room room;
  room.cluster.rewrite(kube::Resource{"", "v1", "services", "Service"},
                       R"({"spec":{"publishNotReadyAddresses":true,"ports":[]}})");
  room.cluster.rewrite(kube::Resource{"rbac.authorization.k8s.io", "v1", "roles", "Role"},
                       R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");
  room.put_usual();
  room.begin();
  for (int i = 0; i < 4; ++i) {
    room.round();
    room.play();
  }
  EXPECT_EQ(room.state(), "successful");
  room.cluster.clear_calls();
  room.context->events.clear();
  for (int i = 0; i < 3; ++i) room.round();
  EXPECT_EQ(room.writes(), 0U);
  EXPECT_THAT(room.context->events, IsEmpty());

  // A new process applies each object once more.
  room.begin();
  for (int i = 0; i < 3; ++i) room.round();
  EXPECT_EQ(room.writes(), 7U) << "six Services and a Role";
  EXPECT_THAT(room.context->events, IsEmpty());

  // Changes of the spec are still applied and reported.
  room.cluster.clear_calls();
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"spec":{"services":{"Work":{"labels":{"team":"a"}}}}})");
  for (int i = 0; i < 4; ++i) {
    room.round();
    room.play();
  }
  EXPECT_GT(room.writes(), 0U);
  room.cluster.clear_calls();
  room.context->events.clear();
  for (int i = 0; i < 3; ++i) room.round();
  EXPECT_EQ(room.writes(), 0U);
  EXPECT_THAT(room.context->events, IsEmpty());
}

struct OutOfForm {
  const char* what;
  const char* given;  // in the service
  const char* field;  // the reported field, prefixed with "spec.services[Work]"
};
class MetadataOutOfForm : public ::testing::TestWithParam<OutOfForm> {};

// With webhooks off, the API server would refuse the rendered object without naming the user's
// field.
TEST_P(MetadataOutOfForm, InvalidMetadataIsReportedWithoutBlockingOthers) {
  Room room;
  std::string service = Room::service("worker");
  service.insert(1, std::string(GetParam().given) + ",");
  room.put_graph(R"({"Work":)" + service + "}", "bad");
  room.put_usual();
  room.begin();
  EXPECT_EQ(room.look_at_graph("bad").kind, ReconcileResult::Kind::kRetry);  // with back-off
  EXPECT_THAT(room.condition_text(kGraphs, "bad", "Ready"),
              HasSubstr(std::string("spec.services[Work].") + GetParam().field));
  EXPECT_EQ(room.state("bad"), "failed");
  room.settle();
  EXPECT_EQ(room.state("g"), "successful");
  EXPECT_THAT(room.names(kComponents), ElementsAre("g-front", "g-work"));
  const std::size_t before = room.writes();
  EXPECT_EQ(room.look_at_graph("bad").kind, ReconcileResult::Kind::kRetry);
  EXPECT_EQ(room.writes(), before);
  room.put_graph(R"({"Work":)" + Room::service("worker") + "}", "bad");
  room.settle();
  EXPECT_EQ(room.state("bad"), "successful");
}

INSTANTIATE_TEST_SUITE_P(
    GraphControllers, MetadataOutOfForm,
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
  Room room;
  std::string service = Room::service("worker");
  service.insert(1, R"("labels":{"nvidia.com/dynamo-component":"not ok!"},)");
  room.put_graph(R"({"Work":)" + service + "}");
  room.begin();
  room.settle();
  EXPECT_EQ(room.state(), "successful");
}

TEST(GraphControllers, InvalidLabelsOfStandaloneComponentAreReported) {
  Room room;
  room.cluster.put(
      kComponents,
      R"({"metadata":{"name":"w","namespace":"ml","generation":1},"spec":{"serviceName":"W",)"
      R"("componentType":"worker","dynamoNamespace":"d","replicas":1,"labels":{"team":"not ok!"},)"
      R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}})");
  room.begin();
  EXPECT_EQ(room.look_at_component("w").kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(room.condition_text(kComponents, "w", "Available"),
              HasSubstr("spec.labels[team]: must be at most"));
  EXPECT_THAT(room.names(kDeployments), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler

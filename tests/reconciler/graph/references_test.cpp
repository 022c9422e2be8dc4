// References from a spec to other objects, and how a component reports missing ones.
#include "reconciler/component/references.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reconciler/component/plan.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler::component {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string yaml(std::string_view spec) {
  return "apiVersion: nvidia.com/v1alpha1\nkind: DynamoComponentDeployment\n"
         "metadata: {name: w, namespace: ml, uid: u, generation: 1, finalizers: "
         "[nvidia.com/finalizer]}\nspec: {serviceName: W, dynamoNamespace: d, " +
         std::string(spec) + "}\n";
}

std::vector<std::string> references(std::string_view spec) {
  const kube::Object object = test::object(yaml(spec));
  std::vector<std::string> out;
  for (const Reference& each : references_of(api::ComponentDeployment{object.root()})) {
    out.push_back(std::string(each.resource.kind) + " " + each.name + " " + each.field);
  }
  return out;
}

TEST(References, RequiredObjectsAreFoundInTheSpec) {
  const struct {
    std::string_view spec;
    std::string reference;
  } rows[] = {
      {"envFromSecret: a", "Secret a spec.envFromSecret"},
      {"envs: [{name: X, value: y}, {name: Y, valueFrom: {secretKeyRef: {name: a, key: k}}}]",
       "Secret a spec.envs[1].valueFrom.secretKeyRef.name"},
      {"volumeMounts: [{name: a, mountPoint: /m}]",
       "PersistentVolumeClaim a spec.volumeMounts[0].name"},
      {"eppConfig: {configMapRef: {name: a}}", "ConfigMap a spec.eppConfig.configMapRef.name"},
      {"extraPodSpec: {mainContainer: {envFrom: [{configMapRef: {name: a}}]}}",
       "ConfigMap a spec.extraPodSpec.mainContainer.envFrom[0].configMapRef.name"},
      {"extraPodSpec: {initContainers: [{envFrom: [{secretRef: {name: a}}]}]}",
       "Secret a spec.extraPodSpec.initContainers[0].envFrom[0].secretRef.name"},
      {"extraPodSpec: {containers: [{env: [{name: X, valueFrom: {configMapKeyRef: {name: a}}}]}]}",
       "ConfigMap a spec.extraPodSpec.containers[0].env[0].valueFrom.configMapKeyRef.name"},
      {"extraPodSpec: {serviceAccountName: a}",
       "ServiceAccount a spec.extraPodSpec.serviceAccountName"},
      {"extraPodSpec: {volumes: [{name: v, secret: {secretName: a}}]}",
       "Secret a spec.extraPodSpec.volumes[0].secret.secretName"},
      {"extraPodSpec: {volumes: [{name: v, projected: {sources: [{configMap: {name: a}}]}}]}",
       "ConfigMap a spec.extraPodSpec.volumes[0].projected.sources[0].configMap.name"},
      {"extraPodSpec: {volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]}",
       "PersistentVolumeClaim a spec.extraPodSpec.volumes[0].persistentVolumeClaim.claimName"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(references(row.spec), ElementsAre(row.reference)) << row.spec;
  }
}

TEST(References, ReferencesAreUniqueAndOmitOptionalOnes) {
  EXPECT_THAT(
      references(
          "envFromSecret: a, extraPodSpec: {mainContainer: {envFrom: [{secretRef: {name: a}}]}}"),
      SizeIs(1));
  for (const std::string_view spec :
       {"envFromSecret: ''", "envFromSecret: No_Name", "envFromSecret: [a]",
        "extraPodSpec: {volumes: [{name: v, secret: {secretName: a, optional: true}}]}",
        "extraPodSpec: {mainContainer: {envFrom: [{secretRef: {name: a, optional: true}}]}}",
        "extraPodSpec: {imagePullSecrets: [{name: an-image-may-be-public}]}",
        "extraPodSpec: {volumes: 3, containers: {a: b}, initContainers: [1, null]}"}) {
    EXPECT_THAT(references(spec), IsEmpty()) << spec;
  }
  std::string many = "extraPodSpec: {volumes: [";
  for (int i = 0; i < 100; ++i) {
    many += "{name: v, secret: {secretName: s" + std::to_string(i) + "}}, ";
  }
  EXPECT_THAT(references(many + "]}"), SizeIs(kMaxReferences));
}

TEST(References, ReferencesFromFlagsAreFoundInOwnPods) {
  const auto workload = [](const std::string& kind, const std::string& name,
                           const std::string& owner, const std::string& spec) {
    return test::object("apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name +
                        ", namespace: ml, ownerReferences: [{uid: " + owner + "}]}\nspec: " + spec +
                        "\n");
  };
  const std::string pod =
      "{spec: {volumes: [{name: a, persistentVolumeClaim: {claimName: saved}}, {name: b, secret: "
      "{secretName: keys}}, {name: c, secret: {secretName: other}}]}}";
  render::Profile profile;
  profile.checkpoint_pvc = "saved";
  profile.mpi_secret_name = "keys";
  const auto missing_in = [&](const kube::Object& object) {
    ObservedObjects objects;
    objects.add(object);
    return describe_missing(references_of_flags(objects, "u", profile));
  };
  const std::string both =
      "--checkpoint-pvc-name: must name a PersistentVolumeClaim of the namespace; found none of "
      "the "
      "name \"saved\"; --mpi-run-ssh-secret-name: must name a Secret of the namespace; found none "
      "of the name \"keys\"";
  EXPECT_EQ(missing_in(workload("Deployment", "w", "u", "{template: " + pod + "}")), both);
  EXPECT_EQ(missing_in(workload("LeaderWorkerSet", "w-0", "u",
                                "{leaderWorkerTemplate: {leaderTemplate: " + pod +
                                    ", workerTemplate: " + pod + "}}")),
            both);
  EXPECT_EQ(missing_in(workload("Deployment", "w", "another", "{template: " + pod + "}")), "");
  profile = {};
  EXPECT_EQ(missing_in(workload("Deployment", "w", "u", "{template: " + pod + "}")), "");
}

// A refusal of pods is reported as well: the missing object may not be the only reason.
TEST(References, MissingReferencesAreReportedWithRefusedPods) {
  ObservedState observed = test::component(yaml("componentType: worker, envFromSecret: hf"));
  const Plan first = plan(observed);
  observed.objects.add(
      test::made(first, "apply Deployment w", "d",
                 R"({"observedGeneration":1,"conditions":[{"type":"ReplicaFailure","status":)"
                 R"("True","message":"exceeded quota: few"}]})"));
  observed.missing = references_of(api::ComponentDeployment{observed.object.root()});
  EXPECT_EQ(test::message(plan(observed), "Available"),
            "spec.envFromSecret: must name a Secret of the namespace; found none of the name "
            "\"hf\"; its pods are refused: exceeded quota: few");
}

TEST(References, MissingReferencesAreReportedUntilComponentIsReady) {
  ObservedState observed = test::component(yaml("componentType: worker, envFromSecret: hf"));
  observed.missing = references_of(api::ComponentDeployment{observed.object.root()});
  const Plan first = plan(observed);
  EXPECT_EQ(test::condition(first, "Available"), "False ObjectMissing");
  EXPECT_EQ(test::message(first, "Available"),
            "spec.envFromSecret: must name a Secret of the namespace; found none of the name "
            "\"hf\"");
  // All owned objects are still created.
  EXPECT_THAT(test::writes(first), Contains("apply Deployment w"));
  EXPECT_THAT(test::words(first), Contains("event ObjectMissing DynamoComponentDeployment w"));
  EXPECT_EQ(first.outcome, PlanOutcome::kWait);
  // Running pods have what they need.
  observed.objects.add(test::made(first, "apply Deployment w", "d",
                                  R"({"observedGeneration":1,"replicas":1,"updatedReplicas":1,)"
                                  R"("readyReplicas":1,"availableReplicas":1,)"
                                  R"("conditions":[{"type":"Available","status":"True"}]})"));
  const Plan running = plan(observed);
  EXPECT_EQ(test::condition(running, "Available"), "True DeploymentReady");
  EXPECT_THAT(test::words(running),
              Not(Contains("event ObjectMissing DynamoComponentDeployment w")));
}

}  // namespace
}  // namespace dynamo::reconciler::component

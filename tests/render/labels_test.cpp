// Labels and annotations, by pathway.
#include "render/component/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document/well_known.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Manifest;
using test::OneService;
using test::path_of;
using test::plain_profile;
using test::text_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> labels(const OneService& manifest, PodRole role = PodRole::kMain) {
  return text_of(pod_labels(manifest.component(), role, manifest.arena()));
}

constexpr std::string_view kService =
    "componentType: worker\n"
    "subComponentType: decode\n"
    "modelRef: {name: Qwen/Qwen3-0.6B}\n"
    "labels: {team: blue, tier: user}\n"
    "extraPodMetadata: {labels: {tier: pod}}";

TEST(PodLabels, DeploymentDropsUserLabelsOfGraph) {
  EXPECT_THAT(
      labels(OneService(kService)),
      ElementsAre("nvidia.com/dynamo-base-model-hash=fb68f5a6",
                  "nvidia.com/dynamo-component=Worker", "nvidia.com/dynamo-component-type=worker",
                  "nvidia.com/dynamo-graph-deployment-name=llama",
                  "nvidia.com/dynamo-namespace=ml-llama",
                  "nvidia.com/dynamo-sub-component-type=decode", "nvidia.com/metrics-enabled=true",
                  "nvidia.com/selector=llama-worker", "tier=pod"));
}

TEST(PodLabels, GroveKeepsUserLabels) {
  EXPECT_THAT(
      labels(OneService(kService, plain_profile(Pathway::kGrove))),
      ElementsAre("nvidia.com/dynamo-base-model-hash=fb68f5a6",
                  "nvidia.com/dynamo-component=Worker", "nvidia.com/dynamo-component-type=worker",
                  "nvidia.com/dynamo-graph-deployment-name=llama",
                  "nvidia.com/dynamo-namespace=ml-llama",
                  "nvidia.com/dynamo-sub-component-type=decode", "nvidia.com/metrics-enabled=true",
                  "nvidia.com/selector=llama-worker", "team=blue", "tier=pod"));
}

TEST(PodLabels, UserLabelsAreUncertainOnUnknownPathway) {
  const auto found = labels(OneService(kService, plain_profile(Pathway::kUnknown)));
  EXPECT_THAT(found, Contains("team=blue?"));
  EXPECT_THAT(found, Contains("tier=pod"));
}

TEST(PodLabels, LeaderWorkerSetLabelsNameRole) {
  const OneService manifest("multinode: {nodeCount: 2}", plain_profile(Pathway::kLws));
  const auto leader = labels(manifest, PodRole::kLeader);
  EXPECT_THAT(leader, IsSupersetOf({"role=leader", "instance-id=0"}));
  EXPECT_THAT(leader, Not(Contains("nvidia.com/selector=llama-worker")));
  EXPECT_THAT(labels(manifest, PodRole::kWorker), Contains("role=worker"));
}

TEST(PodLabels, UserOverridesOperatorAndKeepsOrigin) {
  const OneService manifest("extraPodMetadata: {labels: {nvidia.com/selector: mine}}");
  const auto found = pod_labels(manifest.component(), PodRole::kMain, manifest.arena());
  const Label* selector = find_label(found, label::kSelector);
  ASSERT_NE(selector, nullptr);
  EXPECT_EQ(selector->value, "mine");
  EXPECT_EQ(path_of(selector->origin),
            "spec.services[Worker].extraPodMetadata.labels[nvidia.com/selector]");
  EXPECT_EQ(selector_label(manifest.component(), manifest.arena()).value, "llama-worker");
  EXPECT_EQ(find_label(found, "nothing"), nullptr);
}

TEST(PodLabels, ComponentMetadataOverridesSpecLabels) {
  const Manifest manifest(
      "metadata: {name: w, labels: {a: meta, nvidia.com/dynamo-graph-deployment-name: g}}\n"
      "spec: {componentType: worker, labels: {a: spec, b: spec}}");
  EXPECT_THAT(text_of(pod_labels(manifest.component(), PodRole::kMain, manifest.arena())),
              ElementsAre("a=meta", "b=spec", "nvidia.com/dynamo-component-type=worker",
                          // Copied from spec.labels, which does not have it.
                          "nvidia.com/dynamo-graph-deployment-name=",
                          "nvidia.com/metrics-enabled=true", "nvidia.com/selector=w"));
}

TEST(PodLabels, DisabledMetricsHaveNoLabel) {
  const auto found = labels(OneService("annotations: {nvidia.com/enable-metrics: 'false'}"));
  EXPECT_THAT(found, Not(Contains("nvidia.com/metrics-enabled=true")));
}

TEST(PodLabels, GroveWithKaiSetsQueue) {
  Profile profile = plain_profile(Pathway::kGrove);
  profile.kai_scheduler = api::Fact::kYes;
  EXPECT_THAT(labels(OneService("replicas: 1", profile)), Contains("kai.scheduler/queue=dynamo"));
  const Manifest named(
      "metadata: {name: llama, annotations: {nvidia.com/kai-scheduler-queue: gold}}\n"
      "spec: {services: {Worker: {}}}",
      profile);
  EXPECT_THAT(text_of(pod_labels(named.service("Worker"), PodRole::kMain, named.arena())),
              Contains("kai.scheduler/queue=gold"));
  const Manifest with_blanks(
      "metadata: {name: llama, annotations: {nvidia.com/kai-scheduler-queue: ' \tgold '}}\n"
      "spec: {services: {Worker: {labels: {kai.scheduler/queue: mine}}}}",
      profile);
  EXPECT_THAT(
      text_of(pod_labels(with_blanks.service("Worker"), PodRole::kMain, with_blanks.arena())),
      Contains("kai.scheduler/queue=gold"));
}

TEST(PodLabels, OtherSchedulerGetsNoQueue) {
  Profile profile = plain_profile(Pathway::kGrove);
  profile.kai_scheduler = api::Fact::kYes;
  EXPECT_THAT(labels(OneService("extraPodSpec: {schedulerName: mine}", profile)),
              Not(Contains(HasSubstr("kai.scheduler/queue"))));
  EXPECT_THAT(labels(OneService("extraPodSpec: {schedulerName: kai-scheduler}", profile)),
              Contains("kai.scheduler/queue=dynamo"));
}

TEST(PodLabels, GroveSetsCheckpointHash) {
  const OneService manifest(
      "checkpoint: {enabled: true, identity: {model: meta-llama/Llama-2-7b-hf, "
      "backendFramework: vllm}}",
      plain_profile(Pathway::kGrove));
  EXPECT_THAT(labels(manifest), Contains("nvidia.com/checkpoint-hash=96429b2725761a09"));
}

TEST(PodAnnotations, DeploymentKeepsPodAndRestartAnnotations) {
  const std::string_view service =
      "annotations: {a: service, nvidia.com/restartAt: r1}\n"
      "extraPodMetadata: {annotations: {b: pod}}";
  const OneService component(service);
  EXPECT_THAT(text_of(pod_annotations(component.component(), component.arena())),
              ElementsAre("b=pod", "nvidia.com/restartAt=r1"));
  const OneService grove(service, plain_profile(Pathway::kGrove));
  EXPECT_THAT(text_of(pod_annotations(grove.component(), grove.arena())),
              ElementsAre("a=service", "b=pod", "nvidia.com/dynamo-discovery-backend=kubernetes",
                          "nvidia.com/restartAt=r1"));
}

TEST(PodAnnotations, LeaderWorkerSetSetsGroupName) {
  const OneService manifest("multinode: {nodeCount: 2}", plain_profile(Pathway::kLws));
  EXPECT_THAT(text_of(pod_annotations(manifest.component(), manifest.arena())),
              ElementsAre("scheduling.k8s.io/group-name=llama-worker-0"));
}

TEST(ServiceLabels, SetDiscoveryBackend) {
  const auto found = [](const Profile& profile) {
    const OneService manifest("labels: {team: blue}", profile);
    return text_of(service_labels(manifest.component(), manifest.arena()));
  };
  const std::vector<std::string> discovery = {"nvidia.com/dynamo-discovery-backend=kubernetes",
                                              "nvidia.com/dynamo-discovery-enabled=true"};
  EXPECT_THAT(found(plain_profile()), IsSupersetOf(discovery));
  EXPECT_THAT(found(plain_profile()), Not(Contains("team=blue")));
  EXPECT_THAT(found(plain_profile(Pathway::kGrove)),
              ElementsAre(discovery[0], discovery[1], "team=blue"));
  Profile profile = plain_profile();
  profile.discovery = DiscoveryBackend::kEtcd;
  EXPECT_THAT(found(profile), Not(Contains(discovery[1])));
  profile.discovery = DiscoveryBackend::kUnknown;
  EXPECT_THAT(found(profile), Contains(discovery[1] + "?"));
}

TEST(WorkloadLabels, GraphWorkloadsHaveOperatorLabels) {
  const OneService manifest(kService);
  EXPECT_THAT(text_of(workload_labels(manifest.component(), manifest.arena())),
              ElementsAre("nvidia.com/dynamo-base-model-hash=fb68f5a6",
                          "nvidia.com/dynamo-component=Worker",
                          "nvidia.com/dynamo-graph-deployment-name=llama",
                          "nvidia.com/dynamo-namespace=ml-llama"));
}

TEST(WorkloadAnnotations, GraphAnnotationsArePassedOn) {
  const Manifest manifest(
      "metadata: {name: llama, annotations: {other: x, nvidia.com/enable-metrics: 'false', "
      "nvidia.com/deployment-strategy: Recreate}}\n"
      "spec: {services: {Worker: {modelRef: {name: m}, annotations: {a: b, "
      "nvidia.com/enable-metrics: 'true'}}}}");
  EXPECT_THAT(
      text_of(workload_annotations(manifest.service("Worker"), manifest.arena())),
      ElementsAre("a=b", "nvidia.com/dynamo-base-model=m", "nvidia.com/enable-metrics=false"));
}

}  // namespace
}  // namespace dynamo::render

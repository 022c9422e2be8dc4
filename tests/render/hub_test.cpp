// Components of v1beta1, as later operators render them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/component/names.hpp"
#include "render/pod/launch.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::plain_profile;
using test::text_of;
using test::Yaml;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// The first component of a graph "a.b" in namespace "ml".
class HubManifest {
 public:
  explicit HubManifest(std::string_view written, Profile with = plain_profile(),
                       PodRole role = PodRole::kMain, std::string_view annotations = "{}")
      : profile_(std::move(with)),
        object_("metadata: {name: a.b, annotations: " + std::string(annotations) +
                "}\nspec: {env: [{name: E, value: graph}], components: [" + std::string(written) +
                "]}"),
        component(
            hub_component_of(api::GraphDeployment{object_.root()}, "ml", first(), {}, profile_)),
        pod(render_pod(component, role, arena)) {}

 private:
  json::Value first() const {
    for (const json::Value each : object_.root()["spec"]["components"].elements()) return each;
    return {};
  }
  Profile profile_;
  Yaml object_;

 public:
  Arena arena;
  const Component component;
  const Pod pod;
};

constexpr std::string_view kNodes =
    "{name: W, type: worker, multinode: {nodeCount: 2}, podTemplate: {spec: {containers: [{name: "
    "main, command: [python3, -m, dynamo.vllm], args: [-tp, '16'], resources: {limits: "
    "{nvidia.com/gpu: 8, 'nvidia.com/mig-1g': '4'}}}]}}}";

std::vector<std::string> names_of(std::span<const Container> containers) {
  std::vector<std::string> names;
  for (const Container& container : containers) names.emplace_back(container.name);
  return names;
}

TEST(HubPod, MainContainerIsFirst) {
  const HubManifest it(
      "{name: W, type: worker, podTemplate: {spec: {containers: [{name: a}, {name: main, env: "
      "[{name: E, value: own}]}, {name: b}]}}}");
  EXPECT_THAT(names_of(it.pod.containers), ElementsAre("main", "a", "b"));
  EXPECT_TRUE(it.pod.main().is_main());
  EXPECT_THAT(text_of(it.pod.main().variables, "E"), ElementsAre("E=own"));
}

TEST(HubPod, NamesHaveHashOutsideGrove) {
  const std::string_view worker = "{name: W, type: worker}";
  EXPECT_EQ(component_name(HubManifest(worker).component).str(), "a.b-w-xxxxxxxx");
  EXPECT_EQ(access_name(HubManifest(worker).component).str(), "a-b-w-xxxxxxxx");
  EXPECT_EQ(dynamo_namespace(HubManifest(worker).component).str(), "ml-a-b");
  EXPECT_EQ(component_name(HubManifest(worker, plain_profile(Pathway::kGrove)).component).str(),
            "a.b-w");
  const HubManifest stored(worker, plain_profile(), PodRole::kMain,
                           "{nvidia.com/current-worker-hash-v2: '12345678'}");
  EXPECT_EQ(component_name(stored.component).str(), "a.b-w-12345678");
  EXPECT_EQ(component_name(HubManifest("{name: F, type: frontend}").component).str(), "a.b-f");
}

TEST(HubPod, StoredProviderDecidesPathway) {
  const HubManifest grove("{name: F}", plain_profile(), PodRole::kMain,
                          "{nvidia.com/workload-provider: grove}");
  EXPECT_EQ(workload_of(grove.component), Workload::kPodClique);
  const HubManifest plain("{name: F}", plain_profile(Pathway::kGrove), PodRole::kMain,
                          "{nvidia.com/workload-provider: component}");
  EXPECT_EQ(workload_of(plain.component), Workload::kDeployment);
}

TEST(HubPod, ContainersAreDiscoveredByAnnotation) {
  const HubManifest pods("{name: F, type: frontend}");
  EXPECT_THAT(text_of(pods.pod.main().variables), Not(Contains("CONTAINER_NAME=main")));
  const HubManifest containers("{name: F, type: frontend}", plain_profile(), PodRole::kMain,
                               "{nvidia.com/dynamo-kube-discovery-mode: container}");
  EXPECT_THAT(text_of(containers.pod.main().variables),
              testing::IsSupersetOf({"CONTAINER_NAME=main", "DYN_KUBE_DISCOVERY_MODE=container"}));
}

TEST(HubPod, ProcessesOfVllmReplaceRay) {
  HubManifest worker(kNodes, plain_profile(Pathway::kGrove), PodRole::kWorker);
  const Launch launch = launch_of(worker.component, worker.pod.backend, PodRole::kWorker,
                                  worker.pod.main(), worker.arena);
  EXPECT_THAT(text_of(launch.command), ElementsAre("sh", "-c"));
  EXPECT_THAT(text_of(launch.args),
              ElementsAre("exec python3 -m dynamo.vllm -tp 16 --distributed-executor-backend mp "
                          "--nnodes 2 --master-addr $(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-w-ldr-0."
                          "$(GROVE_HEADLESS_SERVICE) --master-port 29500 --node-rank "
                          "$((GROVE_PCLQ_POD_INDEX + 1)) --headless"));
  EXPECT_THAT(names_of(worker.pod.init_containers), ElementsAre("wait-for-leader-mp"));
  EXPECT_THAT(text_of(worker.pod.main().variables, "VLLM_"),
              ElementsAre("VLLM_NIXL_SIDE_CHANNEL_HOST=<status.podIP>"));
  const HubManifest ray(kNodes, plain_profile(Pathway::kGrove), PodRole::kWorker,
                        "{nvidia.com/vllm-distributed-executor-backend: Ray}");
  EXPECT_THAT(names_of(ray.pod.init_containers), IsEmpty());
}

TEST(HubPod, NodesOfLeaderWorkerSetNeedNoShell) {
  HubManifest worker(kNodes, plain_profile(Pathway::kLws), PodRole::kWorker);
  const Launch launch = launch_of(worker.component, worker.pod.backend, PodRole::kWorker,
                                  worker.pod.main(), worker.arena);
  EXPECT_THAT(text_of(launch.command), ElementsAre("python3", "-m", "dynamo.vllm"));
  EXPECT_THAT(text_of(launch.args), testing::IsSupersetOf({"$(LWS_LEADER_ADDRESS)", "--headless",
                                                           "$(LWS_WORKER_INDEX)"}));
  EXPECT_EQ(worker.pod.scheduler, "");
}

TEST(HubPod, MountsWithoutVolumeGetClaims) {
  HubManifest it(
      "{name: F, sharedMemorySize: '0', podTemplate: {spec: {volumes: [{name: own, emptyDir: "
      "{}}], containers: [{name: main, volumeMounts: [{name: data, mountPath: /d}, {name: own, "
      "mountPath: /o}]}]}}}");
  EXPECT_THAT(test::volumes_of(it.component, it.pod, it.arena),
              ElementsAre(R"({"name":"data","persistentVolumeClaim":{"claimName":"data"}})",
                          R"({"name":"own","emptyDir":{}})"));
}

// Rules read v1alpha1, where the sidecar is no container of extraPodSpec.
TEST(HubPod, SidecarOfV1alpha1IsRendered) {
  const Yaml object(
      "metadata: {name: g}\nspec: {services: {W: {componentType: worker, frontendSidecar: {image: "
      "'f:1', envs: [{name: A, value: b}], envFromSecret: s}, extraPodSpec: {mainContainer: "
      "{volumeMounts: [{name: v, mountPath: /v}]}}}}}");
  const Yaml hub("{name: W, type: worker, frontendSidecar: sidecar-frontend}");
  const Profile profile = plain_profile();
  const json::Value service = object.root()["spec"]["services"]["W"];
  Arena arena;
  const Component component =
      component_of(api::GraphDeployment{object.root()}, "ml", "W", service, profile, hub.root());
  const Pod pod = render_pod(component, PodRole::kMain, arena);
  EXPECT_THAT(names_of(pod.containers), ElementsAre("sidecar-frontend", "main"));
  const Container& sidecar = pod.containers.front();
  EXPECT_EQ(sidecar.image, "f:1");
  EXPECT_EQ(sidecar.env_from_secret, "s");
  EXPECT_THAT(text_of(sidecar.variables, "A"), ElementsAre("A=b"));
  EXPECT_EQ(sidecar.liveness.fields["httpGet"]["path"].value().string_or_empty(), "/live");
  ASSERT_EQ(sidecar.copied_mounts.size(), 1U);
  EXPECT_EQ(sidecar.copied_mounts.front().volume, "v");
  const api::FieldPath path("service");
  EXPECT_EQ(OriginPath(path, sidecar.field("image")).path().render(),
            "service.frontendSidecar.image");
}

}  // namespace
}  // namespace dynamo::render

// The pod of the containers on every pathway, and how a checkpoint changes it.
#include "render/pod/pod.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parser.hpp"
#include "render/component/claims.hpp"
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
using testing::IsEmpty;

std::vector<std::string> names_of(std::span<const Container> containers) {
  std::vector<std::string> names;
  for (const Container& container : containers) names.emplace_back(container.name);
  return names;
}

std::vector<std::string> volumes_of(const OneService& manifest, PodRole role = PodRole::kMain) {
  return test::volumes_of(manifest.component(), manifest.pod(role), manifest.arena());
}

constexpr const char* kSharedMemory =
    R"({"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}})";

TEST(Pod, SidecarsPrecedeMainContainer) {
  const OneService manifest(
      "extraPodSpec: {containers: [{name: a}, {name: b}], initContainers: [{name: i}]}");
  const Pod pod = manifest.pod();
  EXPECT_THAT(names_of(pod.containers), ElementsAre("a", "b", "main"));
  EXPECT_THAT(names_of(pod.init_containers), ElementsAre("i"));
  EXPECT_EQ(pod.main().name, "main");
  EXPECT_EQ(path_of(pod.init_containers[0].name_origin()),
            "spec.services[Worker].extraPodSpec.initContainers[0].name");
}

TEST(Pod, OnlyDeploymentsGetDebugger) {
  const std::string_view debug = "annotations: {nvidia.com/enable-debug-mode: 'true'}";
  const Pod pod = OneService(debug).pod();
  EXPECT_THAT(names_of(OneService(debug).pod().containers), ElementsAre("main", "debugger"));
  EXPECT_TRUE(pod.share_process_namespace);
  EXPECT_EQ(pod.main_index, 0U);
  const OneService grove(debug, plain_profile(Pathway::kGrove));
  EXPECT_THAT(names_of(grove.pod().containers), ElementsAre("main"));
  const OneService off("annotations: {nvidia.com/enable-debug-mode: 'yes'}");
  EXPECT_THAT(names_of(off.pod().containers), ElementsAre("main"));
}

TEST(PodVolumes, UserVolumesPrecedeClaimsAndSharedMemory) {
  const OneService manifest(
      "volumeMounts: [{name: weights, mountPoint: /m}]\n"
      "extraPodSpec: {volumes: [{name: own, emptyDir: {}}]}");
  EXPECT_THAT(volumes_of(manifest),
              ElementsAre(R"({"name":"own","emptyDir":{}})",
                          R"({"name":"weights","persistentVolumeClaim":{"claimName":"weights"}})",
                          kSharedMemory));
  const Pod pod = manifest.pod();
  EXPECT_EQ(path_of(pod.volumes[0].origin), "spec.services[Worker].extraPodSpec.volumes[0]");
  EXPECT_EQ(path_of(pod.volumes[1].origin), "spec.services[Worker].volumeMounts[0]");
}

TEST(PodVolumes, SharedMemoryHasGivenSize) {
  EXPECT_THAT(
      volumes_of(OneService("sharedMemory: {size: 16Gi}")),
      ElementsAre(R"({"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"16Gi"}})"));
  EXPECT_THAT(volumes_of(OneService("sharedMemory: {size: 0}")), ElementsAre(kSharedMemory));
  EXPECT_THAT(volumes_of(OneService("sharedMemory: {disabled: true, size: 1Gi}")), IsEmpty());
  for (const char* type : {"frontend", "planner", "other"}) {
    EXPECT_THAT(volumes_of(OneService("componentType: " + std::string(type))),
                ElementsAre(kSharedMemory));
  }
}

TEST(PodVolumes, EndpointPickerMountsConfig) {
  const auto config = [](std::string_view more) {
    return volumes_of(OneService("componentType: epp\n" + std::string(more))).front();
  };
  EXPECT_EQ(config(""), R"({"name":"epp-config","configMap":{"name":"llama-epp-config","items":[)"
                        R"({"key":"epp-config-dynamo.yaml","path":"epp-config-dynamo.yaml"}]}})");
  EXPECT_EQ(config("eppConfig: {configMapRef: {name: mine, key: k.yaml}}"),
            R"({"name":"epp-config","configMap":{"name":"mine","items":[)"
            R"({"key":"k.yaml","path":"epp-config-dynamo.yaml"}]}})");
  EXPECT_EQ(config("eppConfig: {configMapRef: {name: mine}}"),
            R"({"name":"epp-config","configMap":{"name":"mine","items":[)"
            R"({"key":"epp-config-dynamo.yaml","path":"epp-config-dynamo.yaml"}]}})");
  EXPECT_EQ(volumes_of(OneService("componentType: epp"))[1],
            R"({"name":"hf-cache","emptyDir":{}})");
}

TEST(PodVolumes, UserVolumesReplaceEndpointPickerDefaults) {
  EXPECT_THAT(volumes_of(OneService(
                  "componentType: epp\nextraPodSpec: {volumes: [{name: own, emptyDir: {}}]}")),
              ElementsAre(R"({"name":"own","emptyDir":{}})", kSharedMemory));
}

TEST(PodVolumes, MultinodeTensorRtMountsKeys) {
  const OneService manifest("multinode: {nodeCount: 2}", plain_profile(Pathway::kGrove),
                            "backendFramework: trtllm");
  EXPECT_THAT(
      volumes_of(manifest, PodRole::kWorker),
      Contains(R"({"name":"mpi-ssh","secret":{"secretName":"mpi-ssh","defaultMode":420}})"));
}

TEST(PodVolumes, KeyVolumeIsUncertainWithoutKnownSecret) {
  Profile profile = plain_profile(Pathway::kGrove);
  profile.mpi_secret_name = std::nullopt;
  const OneService manifest("multinode: {nodeCount: 2}", profile, "backendFramework: trtllm");
  const Pod pod = manifest.pod(PodRole::kLeader);
  EXPECT_FALSE(pod.volumes.back().certain);
  EXPECT_THAT(text_of(pod.main().mounts), Contains(" at /ssh-pk ro?"));
}

TEST(ServiceAccount, UserPrecedesTypeAndDiscovery) {
  const auto account = [](std::string_view service, Profile profile = plain_profile()) {
    return std::string(OneService(service, std::move(profile)).pod().service_account);
  };
  EXPECT_EQ(account("extraPodSpec: {serviceAccountName: mine}"), "mine");
  EXPECT_EQ(account("replicas: 1"), "llama-k8s-service-discovery");
  EXPECT_EQ(account("componentType: planner"), "planner-serviceaccount");
  EXPECT_EQ(account("componentType: epp"), "epp-serviceaccount");
  EXPECT_EQ(account("componentType: epp\nextraPodSpec: {serviceAccountName: mine}"), "mine");
  Profile etcd = plain_profile();
  etcd.discovery = DiscoveryBackend::kEtcd;
  EXPECT_EQ(account("replicas: 1", etcd), "");
}

TEST(ServiceAccount, PlannerAccountIsOverwrittenOnComponentPathway) {
  const std::string_view own = "componentType: planner\nextraPodSpec: {serviceAccountName: mine}";
  EXPECT_EQ(OneService(own).pod().service_account, "planner-serviceaccount");
  EXPECT_EQ(OneService(own, plain_profile(Pathway::kGrove)).pod().service_account, "mine");
  const Manifest alone("spec: {componentType: planner, extraPodSpec: {serviceAccountName: mine}}");
  EXPECT_EQ(render_pod(alone.component(), PodRole::kMain, alone.arena()).service_account, "mine");
}

TEST(ServiceAccount, UnknownDiscoveryIsUncertain) {
  Profile profile = plain_profile();
  profile.discovery = DiscoveryBackend::kUnknown;
  const OneService manifest("replicas: 1", profile);
  const Pod pod = manifest.pod();
  EXPECT_EQ(pod.service_account, "llama-k8s-service-discovery");
  EXPECT_FALSE(pod.service_account_certain);
}

TEST(Scheduler, DependsOnPathway) {
  Profile kai = plain_profile(Pathway::kGrove);
  kai.kai_scheduler = api::Fact::kYes;
  Profile maybe_kai = plain_profile(Pathway::kGrove);
  maybe_kai.kai_scheduler = api::Fact::kUnknown;
  const std::string_view own = "extraPodSpec: {schedulerName: mine}";
  const std::string_view nodes = "multinode: {nodeCount: 2}";
  const struct {
    Profile profile;
    std::string service;
    const char* scheduler;
    bool certain;
  } rows[] = {
      {plain_profile(), "replicas: 1", "", true},
      {plain_profile(), std::string(own), "mine", true},
      {plain_profile(Pathway::kGrove), "replicas: 1", "", true},
      {kai, "replicas: 1", "kai-scheduler", true},
      {kai, std::string(own), "mine", true},
      {maybe_kai, "replicas: 1", "kai-scheduler", false},
      {plain_profile(Pathway::kLws), std::string(nodes), "volcano", true},
      {plain_profile(Pathway::kLws), std::string(nodes) + "\n" + std::string(own), "volcano", true},
      {plain_profile(Pathway::kUnknown), "replicas: 1", "", false},
      {plain_profile(Pathway::kUnknown), std::string(own), "mine", true},
      {plain_profile(Pathway::kUnknown), std::string(nodes) + "\n" + std::string(own), "mine",
       false},
  };
  for (const auto& row : rows) {
    const OneService manifest(row.service, row.profile);
    const Pod pod = manifest.pod(roles_of(manifest.component()).front());
    EXPECT_EQ(pod.scheduler, row.scheduler) << row.service;
    EXPECT_EQ(pod.scheduler_certain, row.certain) << row.service;
  }
}

TEST(PodFields, UserGracePeriodReplacesTypeDefault) {
  EXPECT_EQ(OneService("replicas: 1").pod().default_grace_period_seconds, 60);
  EXPECT_EQ(OneService("componentType: epp").pod().default_grace_period_seconds, 130);
  const OneService given("extraPodSpec: {terminationGracePeriodSeconds: 5}");
  EXPECT_EQ(given.pod().grace_period.integer(), 5);
  const OneService zero("extraPodSpec: {terminationGracePeriodSeconds: 0}");
  EXPECT_FALSE(zero.pod().grace_period.exists());
}

TEST(PodFields, RestartPolicyDefaultsToAlways) {
  EXPECT_EQ(OneService("replicas: 1").pod().restart_policy, "Always");
  const OneService never("extraPodSpec: {restartPolicy: Never}");
  const Pod pod = never.pod();
  EXPECT_EQ(pod.restart_policy, "Never");
  EXPECT_EQ(path_of(pod.restart_policy_origin), "spec.services[Worker].extraPodSpec.restartPolicy");
  EXPECT_EQ(OneService("replicas: 1").pod(PodRole::kCheckpoint).restart_policy, "Never");
}

TEST(PodFields, FsGroupNeedsAbsentSecurityContext) {
  EXPECT_TRUE(OneService("replicas: 1").pod().default_security_context);
  EXPECT_FALSE(OneService("extraPodSpec: {securityContext: {}}").pod().default_security_context);
}

Profile with_checkpoints() {
  Profile profile = plain_profile();
  profile.checkpointing = api::Fact::kYes;
  profile.checkpoint_storage = CheckpointStorage::kPvc;
  profile.checkpoint_pvc = "chk";
  profile.checkpoint_base_path = "/checkpoints";
  profile.checkpoint_signal_host_path = "/var/signals";
  profile.checkpoint_restore_marker = "/tmp/restored";
  return profile;
}

constexpr std::string_view kRestores =
    "checkpoint: {enabled: true, identity: {model: meta-llama/Llama-2-7b-hf, "
    "backendFramework: vllm}}\n"
    "extraPodSpec: {mainContainer: {command: [python3], args: [-m, dynamo.vllm]}}";

TEST(Checkpoint, CommandRunsThroughEntrypoint) {
  const OneService manifest(kRestores, with_checkpoints());
  const Pod pod = manifest.pod();
  EXPECT_TRUE(pod.main().command.empty());
  EXPECT_THAT(text_of(pod.main().args.items), ElementsAre("python3", "-m", "dynamo.vllm"));
  EXPECT_EQ(path_of(pod.main().args.origin_of(0)),
            "spec.services[Worker].extraPodSpec.mainContainer.command[0]");
  EXPECT_EQ(path_of(pod.main().args.origin_of(2)),
            "spec.services[Worker].extraPodSpec.mainContainer.args[1]");
  EXPECT_TRUE(pod.main().privileged);
  EXPECT_TRUE(pod.host_ipc);
  EXPECT_TRUE(pod.checkpoint_seccomp);
}

TEST(Checkpoint, VariablesPrecedeAllOthers) {
  const OneService manifest(kRestores, with_checkpoints());
  EXPECT_THAT(
      text_of(manifest.pod().main().variables.first(4)),
      ElementsAre("DYN_CHECKPOINT_PATH=/checkpoints", "DYN_CHECKPOINT_HASH=96429b2725761a09",
                  "DYN_RESTORE_MARKER_FILE=/tmp/restored", "SKIP_WAIT_FOR_CHECKPOINT=1"));
}

TEST(Checkpoint, ObjectStoreUriIsSet) {
  Profile profile = with_checkpoints();
  profile.checkpoint_storage = CheckpointStorage::kS3;
  profile.checkpoint_uri = "s3://b/p";
  const OneService s3(kRestores, profile);
  EXPECT_EQ(text_of(s3.pod().main().variables)[0],
            "DYN_CHECKPOINT_LOCATION=s3://b/p/96429b2725761a09.tar");
  profile.checkpoint_storage = CheckpointStorage::kOci;
  profile.checkpoint_uri = "oci://r/i";
  const OneService oci(kRestores, profile);
  EXPECT_EQ(text_of(oci.pod().main().variables)[0],
            "DYN_CHECKPOINT_LOCATION=oci://r/i:96429b2725761a09");
  EXPECT_THAT(text_of(oci.pod().main().mounts),
              ElementsAre("shared-memory at /dev/shm", "checkpoint-signal at /checkpoint-signal",
                          "podinfo at /etc/podinfo ro"));
}

TEST(Checkpoint, StorageSignalAndPodInformationAreMounted) {
  const OneService manifest(kRestores, with_checkpoints());
  EXPECT_THAT(text_of(manifest.pod().main().mounts),
              ElementsAre("shared-memory at /dev/shm", "checkpoint-storage at /checkpoints",
                          "checkpoint-signal at /checkpoint-signal", "podinfo at /etc/podinfo ro"));
  const std::vector<std::string> volumes = volumes_of(manifest);
  ASSERT_EQ(volumes.size(), 4U);
  EXPECT_EQ(volumes[1],
            R"({"name":"checkpoint-storage","persistentVolumeClaim":{"claimName":"chk"}})");
  EXPECT_EQ(volumes[2], R"({"name":"checkpoint-signal","hostPath":{"path":"/var/signals",)"
                        R"("type":"DirectoryOrCreate"}})");
  EXPECT_THAT(volumes[3], testing::HasSubstr(R"("path":"dyn_discovery_backend")"));
}

TEST(Checkpoint, UnknownStorageIsUncertain) {
  const OneService manifest(kRestores);
  EXPECT_THAT(text_of(manifest.pod().main().variables),
              testing::IsSupersetOf({"DYN_CHECKPOINT_PATH=?", "DYN_CHECKPOINT_LOCATION=?",
                                     "DYN_RESTORE_MARKER_FILE=?"}));
  EXPECT_THAT(text_of(manifest.pod().main().mounts), Contains("checkpoint-storage at ?"));
}

TEST(Checkpoint, ReferencedCheckpointHasNoHash) {
  const OneService manifest(
      "checkpoint: {enabled: true, checkpointRef: warm, identity: {model: m}}", with_checkpoints());
  EXPECT_THAT(text_of(manifest.pod().main().variables), Contains("DYN_CHECKPOINT_HASH="));
}

TEST(Checkpoint, MainOrFirstContainerRestores) {
  const auto restoring = [](std::string_view containers) {
    const OneService manifest("checkpoint: {enabled: true, checkpointRef: warm}\nextraPodSpec: " +
                                  std::string(containers),
                              with_checkpoints());
    const Pod pod = manifest.pod();
    std::vector<std::string> names;
    for (const Container& container : pod.containers) {
      if (container.privileged) names.emplace_back(container.image);
    }
    return names;
  };
  EXPECT_THAT(restoring("{containers: [{name: a, image: side}], mainContainer: {image: mine}}"),
              ElementsAre("mine"));
  EXPECT_THAT(restoring("{containers: [{name: a, image: side}], "
                        "mainContainer: {name: web, image: mine}}"),
              ElementsAre("side"));
  EXPECT_THAT(restoring("{mainContainer: {name: web, image: mine}}"), ElementsAre("mine"));
}

TEST(Checkpoint, DisabledOrCapturedCheckpointChangesNothing) {
  const OneService off("checkpoint: {enabled: false}", with_checkpoints());
  EXPECT_FALSE(off.pod().host_ipc);
  EXPECT_EQ(off.pod().main().mounts.size(), 1U);
  const OneService on(kRestores, with_checkpoints());
  const Pod pod = on.pod(PodRole::kCheckpoint);
  EXPECT_FALSE(pod.host_ipc);
  EXPECT_FALSE(pod.main().privileged);
  EXPECT_THAT(text_of(pod.main().command.items), ElementsAre("python3"));
}

TEST(Checkpoint, UnknownOperatorIsUncertain) {
  Profile profile = with_checkpoints();
  profile.operator_generation = api::OperatorGeneration::kUnknown;
  const OneService manifest(kRestores, profile);
  const Pod pod = manifest.pod();
  EXPECT_TRUE(pod.host_ipc);
  EXPECT_FALSE(pod.checkpoint_certain);
  EXPECT_TRUE(pod.main().privileged);
  EXPECT_FALSE(pod.main().privileged_certain);
  for (const Volume& volume : pod.volumes) {
    EXPECT_EQ(volume.certain, volume.name == "shared-memory") << volume.name;
  }
  for (const Mount& mount : pod.main().mounts) {
    EXPECT_EQ(mount.certain, mount.volume == "shared-memory") << mount.volume;
  }
  EXPECT_FALSE(pod.main().variables.front().certain);
}

TEST(Checkpoint, LaterOperatorKeepsTemplate) {
  Profile profile = with_checkpoints();
  profile.operator_generation = api::OperatorGeneration::kLater;
  const OneService manifest(kRestores, profile);
  const Pod pod = manifest.pod();
  EXPECT_FALSE(pod.host_ipc);
  EXPECT_FALSE(pod.checkpoint_seccomp);
  EXPECT_FALSE(pod.main().privileged);
  EXPECT_THAT(text_of(pod.main().command.items), ElementsAre("python3"));
  EXPECT_THAT(text_of(pod.main().mounts), ElementsAre("shared-memory at /dev/shm"));
  EXPECT_EQ(pod.volumes.size(), 1U);
}

TEST(PodOfATemplate, IsCopiedUnchanged) {
  const test::Yaml yaml(
      "spec:\n  restartPolicy: OnFailure\n  terminationGracePeriodSeconds: 7\n"
      "  serviceAccountName: sa\n"
      "  volumes: [{name: v, emptyDir: {}}]\n"
      "  initContainers: [{name: i}]\n"
      "  containers: [{name: a, env: [{name: B}, {name: A}], "
      "volumeMounts: [{name: v, mountPath: /v}]}, {name: b}]");
  Arena arena;
  const std::optional<Pod> pod = render_template(yaml.root(), arena);
  ASSERT_TRUE(pod.has_value());
  EXPECT_THAT(names_of(pod->containers), ElementsAre("a", "b"));
  EXPECT_THAT(names_of(pod->init_containers), ElementsAre("i"));
  EXPECT_EQ(pod->main().name, "a");
  EXPECT_THAT(text_of(pod->main().variables), ElementsAre("B=", "A="));
  EXPECT_EQ(pod->restart_policy, "Never");
  EXPECT_EQ(pod->grace_period.integer(), 7);
  EXPECT_EQ(pod->service_account, "sa");
  ASSERT_EQ(pod->volumes.size(), 1U);
  const auto path = [](const Origin& origin) {
    const api::FieldPath at("template");
    return OriginPath(at, origin).path().render();
  };
  EXPECT_EQ(path(pod->volumes[0].origin), "template.spec.volumes[0]");
  EXPECT_EQ(path(pod->main().mounts[0].origin), "template.spec.containers[0].volumeMounts[0]");
  EXPECT_EQ(path(pod->init_containers[0].name_origin()), "template.spec.initContainers[0].name");
}

TEST(PodOfATemplate, NeedsAtLeastOneContainer) {
  Arena arena;
  EXPECT_FALSE(render_template(test::Yaml("spec: {}").root(), arena).has_value());
  EXPECT_FALSE(render_template(test::Yaml("spec: {containers: []}").root(), arena).has_value());
  EXPECT_FALSE(render_template(json::Value{}, arena).has_value());
}

TEST(Claims, UnnamedClaimsAreIgnored) {
  const Manifest manifest(
      "spec: {pvcs: [{create: true, name: a, size: 1Gi, storageClass: s, "
      "volumeAccessMode: ReadWriteOnce}, {create: true}, {name: b}]}");
  const std::span<const Claim> claims = graph_claims(manifest.graph(), manifest.arena());
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_TRUE(claims[0].created);
  EXPECT_EQ(claims[0].access_mode(), "ReadWriteOnce");
  EXPECT_EQ(claims[0].storage_class(), "s");
  EXPECT_EQ(text_of(claims[0].size()), R"("1Gi")");
  EXPECT_FALSE(claims[1].created);
  EXPECT_EQ(path_of(claims[1].origin), "spec.pvcs[2]");
}

}  // namespace
}  // namespace dynamo::render

// Names on the wire: labels, annotations, ports and fixed names of the objects that the controllers
// create.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/kind.hpp"

namespace dynamo::render {

namespace label {
inline constexpr std::string_view kSelector = "nvidia.com/selector";
inline constexpr std::string_view kGraph = api::kGraphLabel;
inline constexpr std::string_view kComponent = "nvidia.com/dynamo-component";
inline constexpr std::string_view kDynamoNamespace = "nvidia.com/dynamo-namespace";
inline constexpr std::string_view kComponentType = "nvidia.com/dynamo-component-type";
inline constexpr std::string_view kSubComponentType = "nvidia.com/dynamo-sub-component-type";
inline constexpr std::string_view kBaseModelHash = "nvidia.com/dynamo-base-model-hash";
inline constexpr std::string_view kTargetType = "nvidia.com/dynamo-deployment-target-type";
inline constexpr std::string_view kDiscoveryBackend = "nvidia.com/dynamo-discovery-backend";
inline constexpr std::string_view kDiscoveryEnabled = "nvidia.com/dynamo-discovery-enabled";
inline constexpr std::string_view kMetricsEnabled = "nvidia.com/metrics-enabled";
inline constexpr std::string_view kManagedBy = "nvidia.com/managed-by";
inline constexpr std::string_view kCheckpointHash = "nvidia.com/checkpoint-hash";
inline constexpr std::string_view kQueue = "kai.scheduler/queue";
inline constexpr std::string_view kInstanceId = "instance-id";
inline constexpr std::string_view kRole = "role";
inline constexpr std::string_view kCheckpointName = "nvidia.com/checkpoint-name";
inline constexpr std::string_view kCheckpointSource = "nvidia.com/checkpoint-source";
// Of later operators:
inline constexpr std::string_view kWorkerHash = "nvidia.com/dynamo-worker-hash";
inline constexpr std::string_view kComponentClass = "nvidia.com/dynamo-component-class";
inline constexpr std::string_view kSnapshot = "nvidia.com/snapshot-checkpoint-id";
inline constexpr std::string_view kSnapshotSource = "nvidia.com/snapshot-is-checkpoint-source";
inline constexpr std::string_view kRestoreTarget = "nvidia.com/snapshot-is-restore-target";
inline constexpr std::string_view kEngineGroupMember =
    "nvidia.com/dynamo-failover-engine-group-member";
}  // namespace label

namespace annotation {
inline constexpr std::string_view kEnableGrove = "nvidia.com/enable-grove";
inline constexpr std::string_view kEnableMetrics = "nvidia.com/enable-metrics";
inline constexpr std::string_view kDiscoveryBackend = "nvidia.com/dynamo-discovery-backend";
inline constexpr std::string_view kDisablePullSecrets =
    "nvidia.com/disable-image-pull-secret-discovery";
inline constexpr std::string_view kQueue = "nvidia.com/kai-scheduler-queue";
inline constexpr std::string_view kStrategy = "nvidia.com/deployment-strategy";
inline constexpr std::string_view kMaxSurge = "nvidia.com/deployment-rolling-update-max-surge";
inline constexpr std::string_view kMaxUnavailable =
    "nvidia.com/deployment-rolling-update-max-unavailable";
inline constexpr std::string_view kDebugMode = "nvidia.com/enable-debug-mode";
inline constexpr std::string_view kStealingDebugMode =
    "nvidia.com/enable-stealing-traffic-debug-mode";
inline constexpr std::string_view kOriginVersion = "nvidia.com/dynamo-operator-origin-version";
inline constexpr std::string_view kRestartAt = "nvidia.com/restartAt";
inline constexpr std::string_view kBaseModel = "nvidia.com/dynamo-base-model";
inline constexpr std::string_view kGroupName = "scheduling.k8s.io/group-name";
// Of later operators:
inline constexpr std::string_view kProvider = "nvidia.com/workload-provider";
inline constexpr std::string_view kDiscoveryMode = "nvidia.com/dynamo-kube-discovery-mode";
inline constexpr std::string_view kVllmBackend = "nvidia.com/vllm-distributed-executor-backend";
inline constexpr std::string_view kWorkerHash = "nvidia.com/current-worker-hash";
inline constexpr std::string_view kWorkerHashV2 = "nvidia.com/current-worker-hash-v2";
inline constexpr std::string_view kUpdateStrategy = "nvidia.com/grove-update-strategy";
inline constexpr std::string_view kAutoCheckpoint = "nvidia.com/dynamo-auto-checkpoint";
inline constexpr std::string_view kCheckpointDeletion =
    "nvidia.com/dynamo-checkpoint-deletion-policy";
inline constexpr std::string_view kRestoreCandidate =
    "nvidia.com/dynamo-checkpoint-restore-candidate";
inline constexpr std::string_view kCheckpointName = "nvidia.com/dynamo-checkpoint-name";
inline constexpr std::string_view kSnapshotTargets = "nvidia.com/snapshot-target-containers";
inline constexpr std::string_view kArtifactVersion = "nvidia.com/snapshot-artifact-version";
inline constexpr std::string_view kStorageType = "nvidia.com/snapshot-storage-type";
inline constexpr std::string_view kStorageBasePath = "nvidia.com/snapshot-storage-base-path";
inline constexpr std::string_view kTopologyLabel = "nvidia.com/topology-label-key";
inline constexpr std::string_view kTopologyName = "nvidia.com/topology-cluster-topology-name";
}  // namespace annotation

namespace port {
inline constexpr std::int64_t kHttp = 8000;
inline constexpr std::int64_t kSystem = 9090;
inline constexpr std::int64_t kNixl = 19090;
inline constexpr std::int64_t kPlannerMetrics = 9085;
inline constexpr std::int64_t kGrpc = 9002;
inline constexpr std::int64_t kGrpcHealth = 9003;
inline constexpr std::int64_t kSsh = 2222;
}  // namespace port

inline constexpr std::string_view kMainContainerName = "main";
inline constexpr std::string_view kDebuggerContainer = "debugger";
// The container that v1beta1 has for frontendSidecar of v1alpha1.
inline constexpr std::string_view kFrontendSidecarContainer = "sidecar-frontend";
inline constexpr std::string_view kSharedGpuClaim = "intrapod-shared-gpu";
inline constexpr std::string_view kWaitScriptVolume = "wait-leader-script";
inline constexpr std::string_view kSharedMemoryVolume = "shared-memory";
inline constexpr std::string_view kSharedMemoryPath = "/dev/shm";
inline constexpr std::string_view kSharedMemorySize = "8Gi";
inline constexpr std::string_view kSshKeyPath = "/ssh-pk";
// The Secret with the CA and the certificate of pods as clients of NATS and etcd.
inline constexpr std::string_view kClientTlsVolume = "dynamo-client-tls";
inline constexpr std::string_view kClientTlsPath = "/etc/dynamo-client-tls";
// Written in two pieces, because this path in the image looks like one on a developer's machine.
inline constexpr std::string_view kVllmCachePath =
    "/root"
    "/.cache/vllm";
inline constexpr std::string_view kVllmCacheVariable = "VLLM_CACHE_ROOT";
inline constexpr std::string_view kEndpointPickerConfigFile = "epp-config-dynamo.yaml";
inline constexpr std::string_view kPlannerServiceAccount = "planner-serviceaccount";
inline constexpr std::string_view kEndpointPickerServiceAccount = "epp-serviceaccount";
inline constexpr std::string_view kSeccompProfile = "profiles/block-iouring.json";
inline constexpr std::string_view kKaiScheduler = "kai-scheduler";
inline constexpr std::string_view kDefaultGpu = "nvidia.com/gpu";

}  // namespace dynamo::render

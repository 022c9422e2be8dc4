// Explanations of the rules for names that are looked up in the cluster.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgdsa.ref.exists", "0.1.0", block(R"text(
An adapter writes its replicas into the graph that dgdRef names. Where there is no such graph in
the adapter's namespace, its controller ends in an error and tries again, and an autoscaler that
asks the adapter sees no effect. An adapter may be applied before its graph, so this is only a
warning. It is said with --cluster-lookups=dynamographdeployments, or all.
)text"),
     block(R"yaml(
# cluster: has no DynamoGraphDeployment chta
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chta-worker
spec:
  replicas: 2
  dgdRef:
    name: chta
    serviceName: Worker
)yaml"),
     block(R"yaml(
# cluster: has DynamoGraphDeployment chat
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Worker
)yaml")},

    {"cross.pvc-missing", "0.1.0", block(R"text(
A claim in spec.pvcs without create must be there already: while it is missing, each reconcile
of the graph ends with an error, for all its services. Any other claim that is missing keeps the
pods that mount it pending, and a request whose modelCache it is fails for good. A claim may be
applied after what mounts it, so this is only a warning, one for each claim. It is said with
--cluster-lookups=persistentvolumeclaims, or all.
)text"),
     block(R"yaml(
# cluster: has no PersistentVolumeClaim model-store
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
  services:
    Worker:
      componentType: worker
      replicas: 1
      volumeMounts:
        - name: model-store
          mountPoint: /models
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, /models/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
# cluster: has no PersistentVolumeClaim model-store
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 200Gi
      storageClass: shared-files
      volumeAccessMode: ReadWriteMany
  services:
    Worker:
      componentType: worker
      replicas: 1
      volumeMounts:
        - name: model-store
          mountPoint: /models
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, /models/Qwen3-0.6B]
)yaml")},

    {"cross.secret-missing", "0.1.0", block(R"text(
A container that reads a missing Secret stays in CreateContainerConfigError, and a pod that mounts
one is not started, without a word in the status of the graph; references with optional: true are
passed over. The job of a request always reads HF_TOKEN from a Secret hf-token-secret, for public
models too. A Secret often comes later, from an external store, so this is only a warning, one for
each Secret. It is said with --cluster-lookups=secrets, or all.
)text"),
     block(R"yaml(
# cluster: has no Secret hf-token
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      envFromSecret: hf-token
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
# cluster: has no Secret hf-token
# cluster: has Secret hf-token-secret
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      envFromSecret: hf-token-secret
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"cross.configmap-missing", "0.1.0", block(R"text(
A container that reads a missing ConfigMap stays in CreateContainerConfigError, and a pod that
mounts one is not started, that of an endpoint picker with configMapRef among them; references
with optional: true are passed over. A request whose configMapRef leads nowhere fails for good and
must be created anew. A ConfigMap may be applied after what reads it, so this is only a warning,
one for each ConfigMap. It is said with --cluster-lookups=configmaps, or all.
)text"),
     block(R"yaml(
# cluster: has no ConfigMap qwen3-base
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    configMapRef: {name: qwen3-base}
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
)yaml"),
     block(R"yaml(
# cluster: has ConfigMap qwen3-base
# cluster: has Secret hf-token-secret
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    configMapRef: {name: qwen3-base}
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
)yaml")},

    {"cross.dgdr-dgd-exists", "0.1.0", block(R"text(
With autoApply the operator creates the graph that the profiling has found. Where a graph of that
name exists, it takes that one for its own as it stands: the request ends as Ready, and what was
found, with hours of GPUs, is never applied. The graph may be gone when profiling ends, and no
graph that runs is harmed, so this is only a warning. Give another name, or delete the graph
first; it is said with --cluster-lookups=dynamographdeployments, or all.
)text"),
     block(R"yaml(
# cluster: has DynamoGraphDeployment chat
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  autoApply: true
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    name: chat
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
# cluster: has DynamoGraphDeployment chat
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  autoApply: true
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    name: chat-2
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> lookup() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

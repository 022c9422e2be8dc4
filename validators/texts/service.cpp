// Explanations of the rules for a service: an entry of spec.services, or the spec of a
// DynamoComponentDeployment.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"service.autoscaling.deprecated", "0.1.0", block(R"text(
No controller makes a HorizontalPodAutoscaler from this block any more: the service keeps its
replicas, whatever the load. The service works, hence a warning. Remove the block, set
scalingAdapter.enabled, and let an autoscaler or the planner scale the
DynamoGraphDeploymentScalingAdapter of the service.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      autoscaling:
        enabled: true
        minReplicas: 1
        maxReplicas: 4
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      scalingAdapter:
        enabled: true
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"service.dynamo-namespace.deprecated", "0.1.0", block(R"text(
A graph decides the Dynamo namespace of its services: "dynamo" with globalDynamoNamespace, else
the Kubernetes namespace and the name of the graph, joined by a hyphen. The controller
overwrites what stands here, so clients that look under the name given here find nothing. The
graph works, hence a warning. Remove the field; to share one namespace between graphs set
globalDynamoNamespace. A component without a graph needs the field and is not warned.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      dynamoNamespace: shared
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      globalDynamoNamespace: true
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"service.ingress.host", "0.1.0", block(R"text(
The operator joins hostPrefix, host and hostSuffix into the name of the Ingress rule. Without a
host this begins with a dot, which is no DNS name: the API server refuses the Ingress at every
reconcile, so it is denied. A prefix alone does not help, the operator has always refused an
empty host. Give the first part of the name (the suffix is "local" unless hostSuffix says
otherwise), or disable the ingress.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
      ingress:
        enabled: true
        host: ""
        ingressControllerClassName: nginx
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
      ingress:
        enabled: true
        host: chat
        ingressControllerClassName: nginx
)yaml")},

    {"service.replicas.non-negative", "0.1.0", block(R"text(
The count goes into the Deployment, LeaderWorkerSet or PodClique of the service. Kubernetes
refuses a negative one, at every reconcile, so it can never work and is denied. 0 is allowed and
stops the service.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: -1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 2
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"service.shared-memory.size", "0.1.0", block(R"text(
The size becomes the limit of the volume at /dev/shm, through which the processes of an
inference engine exchange their tensors. Without a size, or with zero, it asks for a volume that
may hold nothing, in which no engine can start. That is why it is denied. Set a size such as
16Gi, leave sharedMemory out for the default of 8Gi, or set disabled: true.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      sharedMemory:
        size: "0"
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      sharedMemory:
        size: 16Gi
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"service.mount.point", "0.1.0", block(R"text(
The mount point becomes the mountPath of the container. Kubernetes refuses a pod template with a
mount that has none, at every reconcile, so the service never gets a pod; therefore it is
denied. Only a compilation cache may leave it out, as vLLM has a path for it. Set an absolute
path (the field is mountPoint, not mountPath).
)text"),
     block(R"yaml(
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
          mountPoint: ""
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
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
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> service() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

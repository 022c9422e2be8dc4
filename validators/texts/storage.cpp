// Explanations of the rules for volumes, mounts and claims.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"storage.mount.duplicate-volume", "0.1.0", block(R"text(
For each entry of volumeMounts the operator adds a volume of that name to the pod, beside those
of extraPodSpec.volumes and its own, such as shared-memory. A pod has each name once, so
Kubernetes refuses the pods of first operators, and it is denied with these; later ones make one
volume of the two, of which one definition is lost: a warning. One claim in two entries, and the
name of a volume of a checkpoint, matter to the first operators only. To mount a claim at several
paths, list it in extraPodSpec.volumes and mount it in mainContainer.volumeMounts.
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
      volumeMounts:
      - name: model-store
        mountPoint: /models
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        volumes:
          - name: model-store
            emptyDir: {}
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
      volumeMounts:
      - name: model-store
        mountPoint: /models
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        volumes:
          - name: scratch
            emptyDir: {}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"storage.mount.path", "0.1.0", block(R"text(
In one container each path can be a mount once; those of the operator count, such as shared
memory at /dev/shm. Kubernetes also refuses a path that is missing, a subPath that leaves its
volume, and Bidirectional propagation without privilege, all of which are denied. At /dev/shm that
holds for the first operators; later ones put their own mount in the place of the user's, which is
a warning. A colon, paths that differ only in a slash at the end, and the path of a checkpoint's
volume where the operator may not be one of the first are warnings. For a larger /dev/shm set
sharedMemory.size.
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        volumes:
          - name: shm
            emptyDir: {medium: Memory}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          volumeMounts:
            - name: shm
              mountPath: /dev/shm
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

    {"storage.mount.unknown-volume", "0.1.0", block(R"text(
A container mounts volumes of its own pod: those of extraPodSpec.volumes, the claims in the
service's volumeMounts, and the operator's. Kubernetes refuses a pod with a mount of any other
name, so no pod is ever made and it is denied. What mainContainer mounts later operators take for
a claim of that name and add it, so with them it is a warning, as it is where the operator adds a
volume whose name is not known here. Add the volume, or correct the name.
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        volumes:
          - name: model-store
            persistentVolumeClaim: {claimName: model-store}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          volumeMounts:
            - name: models
              mountPath: /models
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        volumes:
          - name: model-store
            persistentVolumeClaim: {claimName: model-store}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          volumeMounts:
            - name: model-store
              mountPath: /models
)yaml")},

    {"storage.pvc.access-mode", "0.1.0", block(R"text(
A claim with ReadWriteOnce can be mounted on one node at a time, one with ReadWriteOncePod by
one pod; the pods that come later stay Pending. A compilation cache that is ReadOnlyMany is
never filled. All pods may happen to land on one node, hence a warning. Use ReadWriteMany and a
storage class that offers it, or a claim for each service.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
      volumeAccessMode: ReadWriteOnce
  services:
    Worker:
      componentType: worker
      replicas: 2
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
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
      volumeAccessMode: ReadWriteMany
  services:
    Worker:
      componentType: worker
      replicas: 2
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

    {"storage.pvc.spec", "0.1.0", block(R"text(
The operator passes name, storage class, access mode and size of a claim on as they are, and
makes a volume with the name of each claim that a service mounts. What Kubernetes refuses there
stops the whole graph, so it is denied: the volume's name is stricter than the claim's and has
no dots. An entry that repeats a name is never looked at, and the name of one that is not created
matters to nobody but who mounts it: both are warnings. A claim whose name has dots can be mounted
through extraPodSpec.volumes.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
      volumeAccessMode: RWX
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
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
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
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"storage.cache.backend", "0.1.0", block(R"text(
Of the three engines only vLLM is told where its compilation cache is, and only for it there is
a place by default. For the others a cache without a mountPoint is an error at every reconcile
and denied, with one it is an ordinary volume and the flag has no effect: a warning. So is a
second cache, and a VLLM_CACHE_ROOT of your own, which then stands twice. Set a mountPoint, and
set the engine's own variable to it.
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
      volumeMounts:
      - name: compile-cache
        useAsCompilationCache: true
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.8.1
          command: [python3, -m, dynamo.sglang]
          args: [--model-path, Qwen/Qwen3-0.6B]
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
      volumeMounts:
      - name: compile-cache
        useAsCompilationCache: true
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"storage.shm.size", "0.1.0", block(R"text(
Shared memory is kept in memory and counts against the limit of the container that writes to it.
When it may grow larger than the limit, the container is killed at the point where it is needed
most; it works until then, hence a warning, and so is a size beside disabled, which has no
effect. A negative size is denied, as Kubernetes refuses the pod. Raise the memory limit or
lower the size.
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
        size: 64Gi
      resources:
        limits: {memory: 32Gi, gpu: "1"}
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
        limits: {memory: 32Gi, gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"update.ignored-fields", "0.1.0", block(R"text(
The operator creates a claim when it is not there and never looks at it again, and Grove keeps
the number of workers of a service on several nodes. A change of these fields is stored and has
no effect, though the manifest now says otherwise. It breaks nothing, hence a warning. Change
the PersistentVolumeClaim itself, or create the graph anew.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
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
          args: [--model, Qwen/Qwen3-0.6B]
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 200Gi
      storageClass: shared-nfs
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
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
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
          args: [--model, Qwen/Qwen3-0.6B]
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: model-store
      create: true
      size: 100Gi
      storageClass: shared-nfs
      volumeAccessMode: ReadWriteMany
  services:
    Worker:
      componentType: worker
      replicas: 2
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

std::span<const RuleText> storage() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for a DynamoGraphDeployment as it stands.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgd.origin-version.semver", "0.1.0", block(R"text(
The annotation says which operator version created the graph, so that later operators can keep
treating it as that one did. Defaulting writes it; people rarely need to. A text that is no
version can be compared with none, so no operator could ever act on it, and it is denied instead
of misread. Remove the annotation, or write a version such as 0.8.1.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: latest
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 0.8.1
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},

    {"dgd.pvc.name", "0.1.0", block(R"text(
The operator finds, creates and mounts a claim by its name, and steps over an entry that has
none. Nothing can ever come of such an entry: no PersistentVolumeClaim, and no service that
could mount it. So it is denied. Name the claim, or remove the entry.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  pvcs:
    - name: ""
      create: true
      size: 100Gi
      storageClass: shared-nfs
      volumeAccessMode: ReadWriteMany
  services:
    Worker:
      componentType: worker
      replicas: 1
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

    {"dgd.pvc.create.size", "0.1.0", block(R"text(
With create: true the operator makes a PersistentVolumeClaim that asks for this size. Kubernetes
accepts no claim that asks for nothing or for zero. The reconcile fails on it before any pod is
made, and does so for ever; therefore it is denied. Set a size such as 100Gi, or create: false
for a claim that exists already.
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
      size: "0"
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

    {"dgd.pvc.create.storage-class", "0.1.0", block(R"text(
The operator writes storageClass into the PersistentVolumeClaim as it stands. An empty class
does not mean the default of the cluster: it turns dynamic provisioning off, so no volume is
ever made for the claim and its pods stay Pending. Both the CRD and the operator have always
demanded the field. Name a StorageClass of the cluster (`kubectl get storageclass`).
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
      storageClass: ""
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

    {"dgd.pvc.create.access-mode", "0.1.0", block(R"text(
The access mode goes into the PersistentVolumeClaim that the operator creates. Kubernetes
refuses a claim without one, so the reconcile fails before any pod is made and can never get
further; therefore it is denied. ReadWriteMany is for a volume that pods on several nodes share,
ReadWriteOnce for one node.
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
      volumeAccessMode: ""
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

    {"dgd.services.required", "0.1.0", block(R"text(
Services are all that a graph consists of. Without one there is nothing to create, now or later:
on an update services cannot be added. An empty graph can never serve, so it is denied. Name at
least one service.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services: {}
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
)yaml")},

    {"dgd.services.limit", "0.1.0", block(R"text(
A graph of more than 64 services is not judged service by service, as a review has to have a bound:
no rule about pods, no registry or limit of a policy and no default looks into it. To admit it
unjudged would be a way around all of them, so it is denied; the installed definition stops at 25
services, so only where that was changed or removed does this rule speak. A graph that was stored
with more can be deleted, its metadata can be changed, and an update may take services away, as far
as dgd.topology.services lets it. Any other change of its spec, or of an annotation of nvidia.com,
would go unjudged and is denied, and no policy softens that: split the graph into several.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    {
      W01: {}, W02: {}, W03: {}, W04: {}, W05: {}, W06: {}, W07: {},
      W08: {}, W09: {}, W10: {}, W11: {}, W12: {}, W13: {}, W14: {},
      W15: {}, W16: {}, W17: {}, W18: {}, W19: {}, W20: {}, W21: {},
      W22: {}, W23: {}, W24: {}, W25: {}, W26: {}, W27: {}, W28: {},
      W29: {}, W30: {}, W31: {}, W32: {}, W33: {}, W34: {}, W35: {},
      W36: {}, W37: {}, W38: {}, W39: {}, W40: {}, W41: {}, W42: {},
      W43: {}, W44: {}, W45: {}, W46: {}, W47: {}, W48: {}, W49: {},
      W50: {}, W51: {}, W52: {}, W53: {}, W54: {}, W55: {}, W56: {},
      W57: {}, W58: {}, W59: {}, W60: {}, W61: {}, W62: {}, W63: {},
      W64: {}, W65: {}
    }
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
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> graph() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

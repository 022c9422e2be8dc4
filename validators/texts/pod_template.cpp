// Explanations of the rules for what is around the containers of a pod.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"pod.too-much", "0.1.0", block(R"text(
Everything that is made of an object is judged before it is admitted, and that takes memory and
time. So a pod has at most 128 containers and as many init containers, a container at most 1024
variables and 1024 arguments, and every other list or map that a pod is made of 256 entries; all
pods of an object have at most 8192 together, where a container counts for eight. Nobody can say
what becomes of an object that is not judged, so it is denied, and no policy softens that or
exempts from it. These limits are far above what a node can run. Look for a list that was
generated, or make several objects of it.
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
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          envFrom:
            [&s {secretRef: {name: hf-token}}, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s,
             *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s]
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
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          envFrom:
            - secretRef: {name: hf-token}
)yaml")},

    {"pod.volumes", "0.1.0", block(R"text(
Kubernetes refuses a volume without a name, with one that is no DNS label or stands twice, with two
sources, or with a source that lacks what it needs. The workload is never created, so it is denied.
Sources that this version does not know are not judged. Correct the volume, or make two of it.
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
          - name: scratch
            emptyDir: {}
            hostPath: {path: /mnt/scratch}
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        volumes:
          - name: scratch
            hostPath: {path: /mnt/scratch}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.labels", "0.1.0", block(R"text(
Kubernetes refuses labels and annotations whose key or value has not its form, and a Deployment
whose pods lack the label nvidia.com/selector that it selects them by. Then nothing is created, so
it is denied; later operators set that label last, so with them it is a warning. Labels of a
service that first operators drop are denied with later ones. Other labels of the operator get a
warning when they are changed, as Services and discovery no longer find the pods. Correct the
label, or remove it.
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
      extraPodMetadata:
        labels: {team: "inference & serving"}
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
      resources:
        limits: {gpu: "1"}
      extraPodMetadata:
        labels: {team: inference-serving}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.forbidden-in-template", "0.1.0", block(R"text(
A Deployment or LeaderWorkerSet restarts its containers for ever and has no deadline; init
containers that end have no probes or hooks; debugging containers join running pods only. What
breaks this is never created on the pathway it is meant for, so it is denied, and where the pathway
is not known it gets a warning. So does a fixed node. Grove refuses spread constraints. Remove it.
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
        initContainers:
          - name: fetch
            image: busybox:1.36
            command: ["true"]
            readinessProbe:
              exec: {command: ["true"]}
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        initContainers:
          - name: fetch
            image: busybox:1.36
            command: ["true"]
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.dns", "0.1.0", block(R"text(
Kubernetes refuses dnsPolicy None without a name server, more than three servers, and addresses and
host names that are none. The workload is never created, so it is denied. hostname and subdomain
are denied off Grove only, which sets both itself. A search domain with '_' gets a warning, as
versions before 1.33 refuse it. Correct the entry.
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
        dnsPolicy: None
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        dnsPolicy: None
        dnsConfig:
          nameservers: [10.96.0.10]
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.references", "0.1.0", block(R"text(
A service account, priority class or runtime class whose name is no DNS subdomain cannot exist, and
Kubernetes refuses the pod; an overhead that comes from no runtime class is refused as well. No pod
can be made, so it is denied. A pull secret without a name, or a priority without its class, gets a
warning. Correct the name, or remove the field.
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
        priorityClassName: High_Priority
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        priorityClassName: high-priority
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.scheduling", "0.1.0", block(R"text(
Kubernetes refuses a toleration of every taint without the operator Exists, an affinity without
terms, an operator with too many or too few values, a weight beyond 100 and a missing topologyKey.
The workload, or the profiling job of a request, is never created, so it is denied. Operators that
this version does not know are not judged. Correct the entry.
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
        tolerations:
          - {key: nvidia.com/gpu, operator: Exists, value: present}
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        tolerations:
          - {key: nvidia.com/gpu, operator: Exists}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.scheduler.mixed", "0.1.0", block(R"text(
Grove schedules all pods of a graph as one gang, so its webhook refuses a graph whose services name
different schedulers, and the graph never starts. It is denied where the graph is known to run
through Grove, and gets a warning where it may. An update is judged as a whole, so that one which
mends a part of it is let through. Give all services one scheduler, or none.
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
        schedulerName: slurm-bridge
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
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
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        schedulerName: slurm-bridge
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    Worker:
      componentType: worker
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        schedulerName: slurm-bridge
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"ckpt.pod-template", "0.1.0", block(R"text(
The checkpoint's controller gives variables, mounts and the readiness probe to the first container
and takes the snapshot of it, whatever its name. With a sidecar in front the snapshot is one of the
sidecar, and without a GPU the worker stops when it starts. The job can be made, hence a warning.
Put the worker first, and ask for its GPUs.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: chat
spec:
  identity:
    model: Qwen/Qwen3-0.6B
    backendFramework: vllm
  job:
    podTemplateSpec:
      spec:
        containers:
          - name: log-shipper
            image: busybox:1.36
            command: [sleep, infinity]
          - name: main
            image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
            command: [python3, -m, dynamo.vllm]
            args: [--model, Qwen/Qwen3-0.6B]
            resources:
              limits: {nvidia.com/gpu: "1"}
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: chat
spec:
  identity:
    model: Qwen/Qwen3-0.6B
    backendFramework: vllm
  job:
    podTemplateSpec:
      spec:
        containers:
          - name: main
            image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
            command: [python3, -m, dynamo.vllm]
            args: [--model, Qwen/Qwen3-0.6B]
            resources:
              limits: {nvidia.com/gpu: "1"}
          - name: log-shipper
            image: busybox:1.36
            command: [sleep, infinity]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> pod_template() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for what is in a container.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"pod.env", "0.1.0", block(R"text(
Kubernetes refuses a variable without a name, with '=' in it, with both value and valueFrom, or
with a source that is unknown or incomplete, such as a file (fileKeyRef) in a volume that the pod
does not have or before Kubernetes 1.34; then the workload is never created. This holds for
every version and pathway, so it is denied. A name that only newer versions take and a name that
stands twice in a list get a warning. Values are never shown. Correct the entry.
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
          env:
            - name: HF_TOKEN
              value: none
              valueFrom:
                secretKeyRef: {name: hf-token, key: HF_TOKEN}
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
          env:
            - name: HF_TOKEN
              valueFrom:
                secretKeyRef: {name: hf-token, key: HF_TOKEN}
)yaml")},

    {"pod.ports", "0.1.0", block(R"text(
Kubernetes refuses a port beyond 65535, a name of more than 15 characters or without a letter, a
name that stands twice in a container and a host port that stands twice in a pod, which with
hostNetwork every port is. No pod can be created from such a template, so it is denied. Correct the
number, or shorten the name.
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
          ports:
            - {name: system, containerPort: 9090}
            - {name: prometheus-metrics, containerPort: 9400}
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
          ports:
            - {name: system, containerPort: 9090}
            - {name: prometheus, containerPort: 9400}
)yaml")},

    {"pod.probe.two-handlers", "0.1.0", block(R"text(
First operators merge livenessProbe and readinessProbe of mainContainer with their default, field
by field, so another handler stands beside the default one, and Kubernetes refuses a probe with
two: the workload is never created, and it is denied. A port by number, or a 0, loses to the
default instead and gets a warning. Later operators take such a probe as it is written, so they
need no warning of these, and one without a handler is denied, as Kubernetes refuses it. Write the
whole probe beside extraPodSpec: there it replaces the default with every operator.
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
          livenessProbe:
            exec: {command: [cat, /tmp/alive]}
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
      livenessProbe:
        exec: {command: [cat, /tmp/alive]}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.probe", "0.1.0", block(R"text(
Kubernetes refuses a probe without a handler or with several, with a negative number, with a port
that cannot be one, with a successThreshold beyond 1 for liveness and startup, and readiness with a
grace period. The workload is never created, so it is denied. A port's name that the container
does not have gets a warning: the probe fails for ever. Correct the field.
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
      livenessProbe:
        httpGet: {path: /live, port: system}
        successThreshold: 2
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
      livenessProbe:
        httpGet: {path: /live, port: system}
        failureThreshold: 2
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"pod.lifecycle", "0.1.0", block(R"text(
Kubernetes refuses a hook without a handler or with several, and a sleep that is longer than the
pod's grace period: 60 seconds unless terminationGracePeriodSeconds says otherwise. The workload is
never created, so it is denied. A grace period of 0 gets a warning: the operator cannot tell it
from none and keeps its default. Correct the hook, or give the pod more time.
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
          lifecycle:
            preStop:
              sleep: {seconds: 120}
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
        terminationGracePeriodSeconds: 180
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          lifecycle:
            preStop:
              sleep: {seconds: 120}
)yaml")},

    {"pod.security", "0.1.0", block(R"text(
Kubernetes refuses security settings that contradict each other: a privileged container that must
not gain privileges, a profile without its type, an id that is none; the workload is never created,
so it is denied. What contradicts hostUsers, and procMount, is denied from Kubernetes 1.33 on,
before which both are dropped unread. A user 0 that must not be root, and a capability with CAP_ in
front, get a warning: they fail when the container starts. What the first operators set for a
checkpoint, a privileged container and the host's IPC, counts: where the operator is not known to
be such a one, that is a warning.
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
          securityContext:
            privileged: true
            allowPrivilegeEscalation: false
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
          securityContext:
            allowPrivilegeEscalation: false
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> pod_container() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

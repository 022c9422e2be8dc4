// Explanations of the rules for rolling updates, restarts and replicas.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"rolling.annotations", "0.1.0", block(R"text(
On a service, nvidia.com/deployment-strategy and nvidia.com/deployment-rolling-update-max-surge and
-max-unavailable become the strategy of its Deployment. Kubernetes refuses one with two zeros, with
more than 100% unavailable, or with what is no number, and that is denied where a Deployment is
certain. Other strategies, annotations of the graph, and those of services that Grove or a
LeaderWorkerSet runs have no effect, which is a warning.
)text"),
     block(R"yaml(
# cluster: does not serve grove.io
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      annotations:
        nvidia.com/deployment-rolling-update-max-surge: "0"
        nvidia.com/deployment-rolling-update-max-unavailable: "0"
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
# cluster: does not serve grove.io
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      annotations:
        nvidia.com/deployment-rolling-update-max-surge: "0"
        nvidia.com/deployment-rolling-update-max-unavailable: "1"
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"restart.request", "0.1.0", block(R"text(
A restart begins when restart.id is another than status.restart.observedID. A new strategy under
the id of a restart that has ended starts nothing, and a new id while one is in progress begins
anew with the first service. Both may be meant, so they are warnings. Give each restart an id of
its own, and wait until the last has ended.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  restart:
    id: a
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
status:
  restart:
    observedID: a
    phase: Restarting
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  restart:
    id: b
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
status:
  restart:
    observedID: a
    phase: Restarting
)yaml"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  restart:
    id: a
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
status:
  restart:
    observedID: a
    phase: Completed
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  restart:
    id: b
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
status:
  restart:
    observedID: a
    phase: Completed
)yaml")},

    {"scale.zero", "0.1.0", block(R"text(
Grove refuses 0 replicas of a service that has several nodes, and with it the whole graph, so that
is denied where Grove is certain to run it and a warning where it may be. On an update later
operators keep what Grove has stored and scale instead, so that is a warning with them. When no
worker of a graph has a replica its model disappears from /v1/models, and no request is left from
which an autoscaler could see the demand. That is legal and a good way to park a graph, so it is a
warning.
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
      replicas: 0
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
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"scale.adapter-replicas", "0.1.0", block(R"text(
Where scalingAdapter is enabled the adapter sets replicas, but no number counts as 1: an update
that leaves it out takes the service back to 1. For most users that is refused as scaling past the
adapter; those who may scale get this warning. Write the live number, or send what is changed only,
as kubectl apply does for a field that the manifest never had.
)text"),
     block(R"yaml(
# user: system:serviceaccount:default:planner-serviceaccount
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: default
spec:
  services:
    Worker:
      componentType: worker
      replicas: 3
      scalingAdapter:
        enabled: true
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
  namespace: default
spec:
  services:
    Worker:
      componentType: worker
      scalingAdapter:
        enabled: true
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
# user: system:serviceaccount:default:planner-serviceaccount
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: default
spec:
  services:
    Worker:
      componentType: worker
      replicas: 3
      scalingAdapter:
        enabled: true
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
  namespace: default
spec:
  services:
    Worker:
      componentType: worker
      replicas: 3
      scalingAdapter:
        enabled: true
      envFromSecret: hf-token-secret
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"dgdsa.target", "0.1.0", block(R"text(
For a service that enables scalingAdapter the operator itself makes an adapter, GRAPH-service in
lower case. A second one for the same service sets replicas in turns with it. An endpoint picker
has 1 replica, and an adapter with another number makes every later update of its graph fail. What
the graph says is not looked up here, so both are warnings; scale the adapter that is there.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: scale-the-workers
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Decode
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-decode
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Decode
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> scaling() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for what an update of a DynamoGraphDeployment may change.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgd.backend.immutable", "0.1.0", block(R"text(
The operator makes command lines, probes and caches for one inference engine. A new value alone
contradicts the workers' commands, which is an error at every reconcile; together with new
commands, pods of two engines would answer at the same endpoints while the roll-out lasts. The
operator has always refused the change. Create a second graph for the other engine, move the
traffic, and delete the first.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  backendFramework: vllm
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
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  backendFramework: sglang
  services:
    Worker:
      componentType: worker
      replicas: 1
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
  name: chat-sglang
spec:
  backendFramework: sglang
  services:
    Worker:
      componentType: worker
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.8.1
          command: [python3, -m, dynamo.sglang]
          args: [--model-path, Qwen/Qwen3-0.6B]
)yaml")},

    {"dgd.topology.services", "0.1.0", block(R"text(
Without Grove nothing deletes what was made for a service that is gone: its pods run on, hold
their GPUs and answer requests, and the graph does not show them. A renamed service is one that
is gone and one that is new. The operator has always refused to add or remove services. To stop
a service set its replicas to 0; for another set of services create another graph.
)text"),
     block(R"yaml(
# before
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
---
# after
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
)yaml"),
     block(R"yaml(
# before
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
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 0
      extraPodSpec:
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
)yaml")},

    {"dgd.topology.node-class", "0.1.0", block(R"text(
A service on one node runs as a Deployment or PodClique, one on several nodes as a
LeaderWorkerSet or PodCliqueScalingGroup. Without Grove the new one is made and the old one runs
on beside it: GPUs are taken twice, and old pods answer requests for ever. Nothing mends that,
and the operator has always refused the change. Create a second graph with the node count you
need, and delete the first.
)text"),
     block(R"yaml(
# before
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
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --tensor-parallel-size, "2"]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat-large
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-32B, --tensor-parallel-size, "2"]
)yaml")},

    {"dgd.replicas.scaled-elsewhere", "0.1.0", block(R"text(
With a scaling adapter the count belongs to the DynamoGraphDeploymentScalingAdapter of the
service, whose controller writes it back. Another value here would flap and start or kill pods
meanwhile, without ever lasting, so it is denied to everybody but the operator's and the
planner's service accounts. Scale the adapter: `kubectl scale dgdsa/chat-worker --replicas=4`,
or an autoscaler that points at it.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 2
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
# user: jane@example.com
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: worker
      replicas: 4
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
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Worker
---
# after
# user: jane@example.com
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 4
  dgdRef:
    name: chat
    serviceName: Worker
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> graph_update() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for a DynamoComponentDeployment.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dcd.backend.immutable", "0.1.0", block(R"text(
The operator makes command line, probes and caches of a component for one inference engine. A
new value alone contradicts the command, which is an error at every reconcile; with a new
command, pods of two engines would answer at the same endpoint while the roll-out lasts. The
operator has always refused the change. Create a component for the other engine, and delete the
first.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata:
  name: extra-worker
spec:
  backendFramework: vllm
  componentType: worker
  serviceName: ExtraWorker
  dynamoNamespace: chat
  labels:
    nvidia.com/dynamo-component: ExtraWorker
    nvidia.com/dynamo-namespace: chat
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
kind: DynamoComponentDeployment
metadata:
  name: extra-worker
spec:
  backendFramework: sglang
  componentType: worker
  serviceName: ExtraWorker
  dynamoNamespace: chat
  labels:
    nvidia.com/dynamo-component: ExtraWorker
    nvidia.com/dynamo-namespace: chat
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
kind: DynamoComponentDeployment
metadata:
  name: extra-worker-sglang
spec:
  backendFramework: sglang
  componentType: worker
  serviceName: ExtraWorker
  dynamoNamespace: chat
  labels:
    nvidia.com/dynamo-component: ExtraWorker
    nvidia.com/dynamo-namespace: chat
  replicas: 1
  resources:
    limits: {gpu: "1"}
  extraPodSpec:
    mainContainer:
      image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.8.1
      command: [python3, -m, dynamo.sglang]
      args: [--model-path, Qwen/Qwen3-0.6B]
)yaml")},

    {"dcd.topology.node-class", "0.1.0", block(R"text(
A component on one node runs as a Deployment, one on several nodes as LeaderWorkerSets. The
operator makes the new one and leaves the old one running beside it: GPUs are taken twice, and
old pods answer requests for ever. As nothing mends that, it is denied, here as in a graph.
Create a second component with the node count you need, and delete the first.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata:
  name: extra-worker
spec:
  componentType: worker
  serviceName: ExtraWorker
  dynamoNamespace: chat
  labels:
    nvidia.com/dynamo-component: ExtraWorker
    nvidia.com/dynamo-namespace: chat
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
kind: DynamoComponentDeployment
metadata:
  name: extra-worker
spec:
  componentType: worker
  serviceName: ExtraWorker
  dynamoNamespace: chat
  labels:
    nvidia.com/dynamo-component: ExtraWorker
    nvidia.com/dynamo-namespace: chat
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
kind: DynamoComponentDeployment
metadata:
  name: extra-worker-large
spec:
  componentType: worker
  serviceName: ExtraWorker
  dynamoNamespace: chat
  labels:
    nvidia.com/dynamo-component: ExtraWorker
    nvidia.com/dynamo-namespace: chat
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
};
// clang-format on

}  // namespace

std::span<const RuleText> component() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

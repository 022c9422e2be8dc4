// Explanations of the rules for components with and without a graph.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dcd.standalone.incomplete", "0.1.0", block(R"text(
A graph fills in where its components belong; a component without a graph has to say it itself.
Without dynamoNamespace its Services are never made, which the first operators report as an
error for ever, so with these it is denied. Without serviceName, or without the two labels that
repeat both, the Services exist and find no pods: a warning. Set all four.
)text"),
     block(R"yaml(
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata:
  name: extra-worker
spec:
  componentType: worker
  serviceName: ExtraWorker
  labels:
    nvidia.com/dynamo-component: ExtraWorker
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
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata:
  name: extra-worker
  labels:
    nvidia.com/dynamo-graph-deployment-name: chat
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
)yaml")},

    {"dcd.owned-edit", "0.1.0", block(R"text(
The graph that owns a component writes its spec anew whenever it reconciles, so what somebody
else changes there is gone a moment later. The change does no lasting harm, hence a warning.
Change the service in the DynamoGraphDeployment, or scale it through its
DynamoGraphDeploymentScalingAdapter.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata:
  name: chat-worker
  ownerReferences:
    - apiVersion: nvidia.com/v1alpha1
      kind: DynamoGraphDeployment
      name: chat
      uid: 5d8a6f1c-2f4b-4c59-9d70-3f0e6a1b2c3d
spec:
  componentType: worker
  serviceName: Worker
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
  name: chat-worker
  ownerReferences:
    - apiVersion: nvidia.com/v1alpha1
      kind: DynamoGraphDeployment
      name: chat
      uid: 5d8a6f1c-2f4b-4c59-9d70-3f0e6a1b2c3d
spec:
  componentType: worker
  serviceName: Worker
  replicas: 3
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
kind: DynamoComponentDeployment
metadata:
  name: chat-worker
  ownerReferences:
    - apiVersion: nvidia.com/v1alpha1
      kind: DynamoGraphDeployment
      name: chat
      uid: 5d8a6f1c-2f4b-4c59-9d70-3f0e6a1b2c3d
spec:
  componentType: worker
  serviceName: Worker
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
  name: chat-worker
  ownerReferences:
    - apiVersion: nvidia.com/v1alpha1
      kind: DynamoGraphDeployment
      name: chat
      uid: 5d8a6f1c-2f4b-4c59-9d70-3f0e6a1b2c3d
  labels:
    team: search
spec:
  componentType: worker
  serviceName: Worker
  replicas: 1
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

std::span<const RuleText> topology_components() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for what checkpoints are made of and who can use them.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"ckpt.manual.no-label", "0.1.0", block(R"text(
A service that gives an identity looks for a checkpoint by the label nvidia.com/checkpoint-hash,
whose value is a hash of the identity. With another value the checkpoint is never found, or it
is found by services that need another one. In mode Manual the service then waits for ever. As
checkpointRef finds it all the same, this is a warning; it tells the hash.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
  labels:
    nvidia.com/checkpoint-hash: "0123456789abcdef"
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
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
  labels:
    nvidia.com/checkpoint-hash: "73e74442beb109ed"
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
)yaml")},

    {"ckpt.manual.hash", "0.1.0", block(R"text(
In mode Manual somebody has to make the checkpoint that a service looks for, and has to give it
the label nvidia.com/checkpoint-hash with the hash of the identity. Nothing but this rule tells
the hash. Whether the label is needed depends on other objects, so the rule is off; switch it on
in namespaces where people make checkpoints that are found by their identity.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
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
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
  labels:
    nvidia.com/checkpoint-hash: "73e74442beb109ed"
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
)yaml")},

    {"ckpt.identity.mismatch", "0.1.0", block(R"text(
State is saved and found by the identity alone; nobody compares it with what the worker really
runs. Where model, engine, parallel sizes, type or length differ from the command line, a worker
is restored with a state that does not fit it, or two workers share one that fits neither. A
command line may mean something else in an image of your own, so this is a warning. Give both
the same values.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
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
            args: [--model, Qwen/Qwen3-0.6B, --tensor-parallel-size, "2"]
            resources:
              limits: {nvidia.com/gpu: "1"}
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
spec:
  identity:
    model: Qwen/Qwen3-0.6B
    backendFramework: vllm
    tensorParallelSize: 2
  job:
    podTemplateSpec:
      spec:
        containers:
          - name: main
            image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
            command: [python3, -m, dynamo.vllm]
            args: [--model, Qwen/Qwen3-0.6B, --tensor-parallel-size, "2"]
            resources:
              limits: {nvidia.com/gpu: "1"}
)yaml")},

    {"ckpt.unsupported", "0.1.0", block(R"text(
A checkpoint holds the state of one pod that runs an engine. The pods of a service over several
nodes cannot be restored from it, since their connections are part of the state, and a component
that is no worker has no state worth saving, while its pods still become privileged. Operators
to come may support more, so this is a warning. Remove the checkpoint from this service.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  backendFramework: vllm
  services:
    Frontend:
      componentType: frontend
      checkpoint:
        enabled: true
        checkpointRef: qwen3-vllm
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
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  backendFramework: vllm
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    Worker:
      componentType: worker
      checkpoint:
        enabled: true
        checkpointRef: qwen3-vllm
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

std::span<const RuleText> preflight_checkpoint() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

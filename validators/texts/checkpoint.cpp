// Explanations of the rules for a DynamoCheckpoint.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"ckpt.identity.immutable", "0.1.0", block(R"text(
The identity is hashed once, and under this hash the saved state is stored and found. After a
change the old state would be found under a name that no longer describes it, and workers would
be restored with another model than they asked for. No later step can notice that, so it is
denied. Create another DynamoCheckpoint for the other identity.
)text"),
     block(R"yaml(
# before
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
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
spec:
  identity:
    model: Qwen/Qwen3-8B
    backendFramework: vllm
  job:
    podTemplateSpec:
      spec:
        containers:
          - name: main
            image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
            command: [python3, -m, dynamo.vllm]
            args: [--model, Qwen/Qwen3-8B]
            resources:
              limits: {nvidia.com/gpu: "1"}
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-8b-vllm
spec:
  identity:
    model: Qwen/Qwen3-8B
    backendFramework: vllm
  job:
    podTemplateSpec:
      spec:
        containers:
          - name: main
            image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
            command: [python3, -m, dynamo.vllm]
            args: [--model, Qwen/Qwen3-8B]
            resources:
              limits: {nvidia.com/gpu: "1"}
)yaml")},

    {"ckpt.identity.complete", "0.1.0", block(R"text(
Model and engine are what a saved state depends on most. Where one is empty, checkpoints of
different models share one hash and one place, and a worker may be restored with the state of
another model. Without an engine that is denied; without a model the first such checkpoint is made
and only a second one is taken for it, which is a warning. Give both as the workers that will be
restored have them.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: qwen3-vllm
spec:
  identity:
    model: ""
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

    {"ckpt.job.limits", "0.1.0", block(R"text(
The limits go into the Job that makes the checkpoint. Kubernetes refuses a Job with a negative
one, and a deadline of zero ends the Job before its pod has started, so no checkpoint can ever
come of it and it is denied. Give activeDeadlineSeconds 1 or more (loading a large model takes
many minutes), backoffLimit and ttlSecondsAfterFinished 0 or more.
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
    activeDeadlineSeconds: 0
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
spec:
  identity:
    model: Qwen/Qwen3-0.6B
    backendFramework: vllm
  job:
    activeDeadlineSeconds: 3600
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

    {"ckpt.job.pod", "0.1.0", block(R"text(
The state that is saved is that of the first container of this pod. Without a container
Kubernetes refuses the Job, at every reconcile, so no checkpoint can ever be made and it is
denied. Give the container as the worker has it: image, command, arguments and GPUs.
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
        containers: []
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
};
// clang-format on

}  // namespace

std::span<const RuleText> checkpoint() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

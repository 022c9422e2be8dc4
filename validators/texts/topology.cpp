// Explanations of the rules for how services fit together.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgd.backend.mismatch", "0.1.0", block(R"text(
The operator reads from the command line which engine a worker runs (python3 -m dynamo.vllm and
the like) and compares it with backendFramework. When they differ, or when several engines are
found and none is declared, every reconcile ends in an error and no pod is made. As all
operators look in this way, it is denied; a command line in which nothing is found is fine.
Change backendFramework or the command.
)text"),
     block(R"yaml(
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

    {"dgd.planner.targets", "0.1.0", block(R"text(
When it starts, the planner looks for one service with subComponentType prefill and one with
decode (or the one that its --mode names), for a whole number of GPUs in their resources, and
for one model name in their arguments. What it does not find ends it, and it restarts for ever
while nothing is scaled. The rest of the graph works, hence a warning. Nothing is said where the
planner is global, works outside of Kubernetes or reads a configuration file.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Planner:
      componentType: planner
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.planner.planner_sla]
          args: [--environment=kubernetes, --backend=vllm]
    Prefill:
      componentType: worker
      replicas: 1
      subComponentType: prefill
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B, --is-prefill-worker]
    Decode:
      componentType: worker
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Planner:
      componentType: planner
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.planner.planner_sla]
          args: [--environment=kubernetes, --backend=vllm]
    Prefill:
      componentType: worker
      replicas: 1
      subComponentType: prefill
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B, --is-prefill-worker]
    Decode:
      componentType: worker
      replicas: 1
      subComponentType: decode
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B]
)yaml")},

    {"dgd.disagg.role-flag", "0.1.0", block(R"text(
subComponentType tells planner and Services which half of a disaggregated model a worker does;
the engine itself is told by a flag. Without it, or with the other one, the worker registers
under another role, and neither router nor planner finds the prefill worker. The pods run, hence
a warning. For vLLM give --is-prefill-worker to the prefill worker only; for SGLang and
TensorRT-LLM give --disaggregation-mode to both.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Prefill:
      componentType: worker
      replicas: 1
      subComponentType: prefill
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B]
    Decode:
      componentType: worker
      replicas: 1
      subComponentType: decode
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B]
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Prefill:
      componentType: worker
      replicas: 1
      subComponentType: prefill
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B, --is-prefill-worker]
    Decode:
      componentType: worker
      replicas: 1
      subComponentType: decode
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B]
)yaml")},

    {"dgd.annotation.value", "0.1.0", block(R"text(
The operator compares the values of its annotations letter by letter: a discovery backend other
than kubernetes and etcd gives pods the settings of the first without the labels and permissions by
which they are found, and "True" or "yes" is not "true". A key that is nearly one of the operator's
has no effect at all. An unknown discovery backend is denied where first operators run components
of Dynamo with it, which then never find each other, and is a warning for others and for pods with
a DYN_DISCOVERY_BACKEND of their own; everything else is a warning. Correct key or value.
)text"),
     block(R"yaml(
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-discovery-backend: k8s
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
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-discovery-backend: kubernetes
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

    {"dgd.update.pathway-toggle", "0.1.0", block(R"text(
The annotation nvidia.com/enable-grove decides whether Grove runs a graph or Deployments do.
When it changes on a graph that exists, the objects of the other pathway stay and run beside the
new ones: GPUs are taken twice, and both answer. You may mean to clean up by hand, hence a
warning. Delete the graph and create it anew.
)text"),
     block(R"yaml(
# cluster: serves grove.io
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
  annotations:
    nvidia.com/enable-grove: "false"
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
# cluster: serves grove.io
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/enable-grove: "false"
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
  annotations:
    nvidia.com/enable-grove: "false"
spec:
  services:
    Worker:
      componentType: worker
      replicas: 2
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"dgd.epp.topology", "0.1.0", block(R"text(
Only one endpoint picker of a graph gets a ConfigMap and an InferencePool, and which one is left
to chance; a second one whose configuration stands in the graph mounts a ConfigMap that nobody makes
and never starts. With the first operators that is denied, else it is a warning, and so are pickers
that read a ConfigMap of their own, a graph whose pool finds no frontend with the first operators,
and profiles that refer to a plugin that is not there, with which the picker ends at its start.
Keep one endpoint picker, and refer to a plugin by its name, or by its type where it has none.
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
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    Epp:
      componentType: epp
      replicas: 1
      eppConfig:
        config:
          plugins:
            - name: dyn-kv
              type: kv-aware-scorer
            - type: max-score-picker
          schedulingProfiles:
            - name: default
              plugins:
                - pluginRef: kv-aware-scorer
                - pluginRef: max-score-picker
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    Epp:
      componentType: epp
      replicas: 1
      eppConfig:
        config:
          plugins:
            - name: dyn-kv
              type: kv-aware-scorer
            - type: max-score-picker
          schedulingProfiles:
            - name: default
              plugins:
                - pluginRef: dyn-kv
                - pluginRef: max-score-picker
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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

    {"dgd.router.block-size", "0.1.0", block(R"text(
A router that knows the KV caches of the workers compares blocks of tokens. When the router
counts in blocks of another size than a worker, no block is ever found and requests go anywhere,
without an error. The graph answers, only slowly, hence a warning. Give the same number to
--kv-cache-block-size of the frontend, DYN_KV_BLOCK_SIZE of an endpoint picker (16 by default),
and --block-size or --page-size of the workers.
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
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.frontend]
          args: [--router-mode, kv, --kv-cache-block-size, "16"]
    Worker:
      componentType: worker
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --block-size, "64"]
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
          command: [python3, -m, dynamo.frontend]
          args: [--router-mode, kv, --kv-cache-block-size, "64"]
    Worker:
      componentType: worker
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --block-size, "64"]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> topology() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

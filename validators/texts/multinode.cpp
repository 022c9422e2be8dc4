// Explanations of the rules for services of several nodes.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"multinode.vllm.flag-form", "0.1.0", block(R"text(
For several nodes the operator reads the sizes of vLLM from args to choose how the nodes work
together. It knows the long names only, with the number as the next word; -tp,
--tensor-parallel-size=16 and variables count as 1, so nothing is added to the command line and
each node starts alone. This warns, as another operator may read more. Write the flags in the
long form.
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, -tp, "16"]
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "16"]
)yaml")},

    {"multinode.gpu-location", "0.1.0", block(R"text(
For several nodes the operator counts the GPUs of a node in resources.limits.gpu of the service,
and nowhere else. Without it vLLM gets none of the flags that bring its nodes together, and
TensorRT-LLM is started with no rank at all. GPUs under another name or in mainContainer still
reach the pod, so this only warns; name the resource in gpuType instead.
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
      multinode:
        nodeCount: 2
      resources:
        limits:
          custom: {amd.com/gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "16"]
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8", gpuType: amd.com/gpu}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "16"]
)yaml")},

    {"multinode.no-injection", "0.1.0", block(R"text(
The operator brings several nodes together by what it adds to the command line: behind python in
command, or where one item of args runs python with the module of the engine. It cannot look
into a script of the image, and it adds nothing to vLLM when the sizes fit on one node, so each
node then serves by itself. Both work after a fashion, or by means that are not seen here, so
this only warns. Call the module in the manifest, and give sizes for all nodes.
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "8"]
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "16"]
)yaml")},

    {"multinode.args.unquoted", "0.1.0", block(R"text(
For several nodes the first operators join command and args with blanks and give the result to a
shell: for Ray, for the workers of SGLang and of data parallelism, and between single quotes for
mpirun. A value with blanks, quotes or brackets, such as JSON, falls apart there, and Ray in
front of a shell runs only the first word of its script. Later operators quote, so this is a
warning. Put the value into a file.
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args:
            - --model
            - Qwen/Qwen3-235B-A22B
            - --speculative-config
            - '{"method": "ngram"}'
            - --tensor-parallel-size
            - "16"
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
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args:
            - --model
            - Qwen/Qwen3-235B-A22B
            - --config
            - /etc/vllm/config.yaml
            - --tensor-parallel-size
            - "16"
)yaml")},

    {"multinode.lws.container", "0.1.0", block(R"text(
The operator makes no LeaderWorkerSet for a main container that lacks command or args in the end:
the service stays without pods. This is denied where LeaderWorkerSets are known to run several
nodes, and a warning where they may. The first operators also demand limits.gpu, which is a
warning. With them a checkpoint moves command to args, so that none is left: that is denied for
them, and a warning where the operator is not known. Move what follows the program to args.
)text"),
     block(R"yaml(
# cluster: does not serve grove.io
# cluster: serves leaderworkerset.x-k8s.io
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Trainer:
      componentType: trainer
      replicas: 1
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: registry.example.com/trainer:1.0
          command: [/opt/train/run, --steps, "1000"]
)yaml"),
     block(R"yaml(
# cluster: does not serve grove.io
# cluster: serves leaderworkerset.x-k8s.io
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Trainer:
      componentType: trainer
      replicas: 1
      multinode:
        nodeCount: 2
      resources:
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: registry.example.com/trainer:1.0
          command: [/opt/train/run]
          args: [--steps, "1000"]
)yaml")},

    {"cross.orchestrator-missing", "0.1.0", block(R"text(
A service on several nodes runs through Grove, or through LeaderWorkerSet together with Volcano.
Where the cluster has neither, or the annotation nvidia.com/enable-grove keeps the graph from
Grove and there is no other, the operator stops at the error "no multinode orchestrator" in every
pass and makes nothing of the whole graph. It is a warning, as what is missing may be installed
later. Install one of the two, or run the service on one node.
)text"),
     block(R"yaml(
# cluster: does not serve grove.io
# cluster: does not serve leaderworkerset.x-k8s.io
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
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "16"]
)yaml"),
     block(R"yaml(
# cluster: serves grove.io
# cluster: does not serve leaderworkerset.x-k8s.io
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
        limits: {gpu: "8"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-235B-A22B, --tensor-parallel-size, "16"]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> multinode() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

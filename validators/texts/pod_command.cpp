// Explanations of the rules for command lines, images and names of containers.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"pod.command.default-shell", "0.1.0", block(R"text(
Without a command the operator runs `/bin/sh -c` in workers, planners and services of other types.
The shell takes the first argument for its whole script and the rest for $0, $1 and so on, so the
container starts a program without its options, or nothing at all. The pod can be made, hence a
warning. Set command, or write the whole command line as one argument.
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

    {"pod.command.shell-multiarg", "0.1.0", block(R"text(
A shell runs the one word behind -c as its script and hands the words behind it to the script,
which seldom looks at them: `sh -c python3 -m app` runs `python3` alone. The pod can be made, hence
a warning. Join the words to one script. Nothing is said of a script that uses $0, $1 or $@.
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
          command: [/bin/sh, -c]
          args: [python3, -m, dynamo.vllm, --model, Qwen/Qwen3-0.6B]
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
          command: [/bin/sh, -c]
          args: ["python3 -m dynamo.vllm --model Qwen/Qwen3-0.6B"]
)yaml")},

    {"pod.command.frontend-merge", "0.1.0", block(R"text(
A frontend has the default command `python3` and the default arguments `-m dynamo.frontend`, and
the operator replaces each of the two by itself. A command alone therefore gets the default
arguments behind it, and arguments alone become those of python3. The pod can be made and stops
with an error, hence a warning. Set both, or arguments that begin with a switch.
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
          command: [python3, -m, dynamo.frontend, --router-mode, kv]
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
          args: [-m, dynamo.frontend, --router-mode, kv]
)yaml")},

    {"pod.command.unexpanded-var", "0.1.0", block(R"text(
The kubelet replaces $(NAME) in a command line and nothing else; $NAME and ${NAME} are the
shell's, and no shell runs here. The program gets the text as it is written, looks for a model of
that name, and stops. The pod can be made, hence a warning. Write $(NAME), or run `sh -c`.
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
          args: [--model, $MODEL_PATH]
          env:
            - {name: MODEL_PATH, value: /models/qwen}
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
          args: [--model, $(MODEL_PATH)]
          env:
            - {name: MODEL_PATH, value: /models/qwen}
)yaml")},

    {"pod.command.undefined-ref", "0.1.0", block(R"text(
The kubelet leaves $(NAME) as it is when the container has no variable of that name, or when a
variable refers to one that comes behind it; the operator sorts the main container's by name. The
program gets the reference instead of a value. The pod can be made, hence a warning. Define the
variable, or rename one of the two. Nothing is said where a ConfigMap or Secret may bring it.
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
          args: [--model, $(MODEL_PATH)]
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
          args: [--model, $(MODEL_PATH)]
          env:
            - {name: MODEL_PATH, value: /models/qwen}
)yaml")},

    {"pod.image", "0.1.0", block(R"text(
There is no default image, and Kubernetes refuses a container without one, so the workload is never
created; blanks at an end are refused when the pod is made. Neither can start on any cluster, so it
is denied. A text that is no reference gets a warning: the pod is made and its image is never
pulled. Name the image.
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

    {"pod.image.placeholder", "0.1.0", block(R"text(
Examples and templates leave a text for somebody to fill in: my-tag, your-registry, <image>,
${IMAGE}. Kubernetes makes the pod, and its image is never pulled: the service waits for ever with
ImagePullBackOff or InvalidImageName. Only a registry of exactly this name could make it right, so
it is a warning. Name the image, or render the template before it is applied.
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
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:my-tag
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

    {"pod.container.names", "0.1.0", block(R"text(
Kubernetes refuses containers and init containers whose name is no DNS label or stands twice, and
the operator names its own main and, in debug mode, debugger. No workload can be created from such
a pod, so it is denied; of a sidecar called main later operators run no container, which is a
warning. Another name for mainContainer is denied where first operators run several nodes in
LeaderWorkerSets, which look for main, and else a warning. Rename the sidecar.
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
        containers:
          - {name: main, image: busybox:1.36, command: [sleep, infinity]}
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
        containers:
          - {name: log-shipper, image: busybox:1.36, command: [sleep, infinity]}
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> pod_command() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

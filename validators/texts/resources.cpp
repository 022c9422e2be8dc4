// Explanations of the rules for CPU, memory, GPUs and devices.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"res.gpu.requests-only", "0.1.0", block(R"text(
The first operators pass on resources.limits.gpu only and drop resources.requests.gpu without a
word, so the pod gets no GPU, may land on a node without one, and its engine ends at the start.
Later operators take the request as the limit, so this only warns. Set limits.gpu; Kubernetes
needs no request beside it.
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
        requests: {cpu: "4", gpu: "1"}
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
        requests: {cpu: "4"}
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"res.gpu.missing", "0.1.0", block(R"text(
The modules dynamo.vllm, dynamo.sglang and dynamo.trtllm end at their start when they find no GPU.
Images for other devices, runtime classes and webhooks of the cluster can bring one that is not in
the manifest, so this only warns, and says nothing of a service with a device of any kind, a
claim, a runtime class, or --device. Set resources.limits.gpu.
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

    {"res.quantity.invalid", "0.1.0", block(R"text(
Amounts are texts in the definition, and nothing reads them before the operator makes pods of the
service. What is no quantity of Kubernetes stops the first operators with an error that they
repeat for ever; later ones leave the amount out without a word, so that a container runs without
its limit of memory or an engine without its GPU. A negative amount is refused with the pod; all
of this is denied. Write numbers with a suffix such as m, M, Mi, G or Gi; units such as GB are
none, and requests.gpu, which no operator needs, is a warning.
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
        limits: {memory: 64GB, gpu: "1"}
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
        limits: {memory: 64G, gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"res.request-exceeds-limit", "0.1.0", block(R"text(
Kubernetes refuses a container that reserves more than it may use, so the service never gets a pod
and this is denied. What counts is the result: the service's resources are laid over those of
mainContainer, so a limit of the one can meet a request of the other. Two different amounts for
one resource are a warning, as one is lost: that of mainContainer with the first operators, that
of the service with later ones, where such a pair gets no more than a warning.
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
        requests: {memory: 64Gi}
        limits: {memory: 32Gi, gpu: "1"}
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
        requests: {memory: 32Gi}
        limits: {memory: 32Gi, gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"res.extended.rules", "0.1.0", block(R"text(
Beside cpu, memory and ephemeral-storage a container can ask for huge pages and for extended
resources, whose names have a domain: nvidia.com/gpu, rdma/ib. gpuType and the keys of custom
become such names as they stand. Kubernetes gives these out in whole units and to one container
only, so it refuses fractions, a request without a limit or with another one, and huge pages
without cpu or memory; all of this is denied. Where the service and mainContainer both give an
amount, first operators take the service's and later ones mainContainer's, so the outcome depends.
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
        limits: {gpu: "1", gpuType: H100}
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
        limits: {gpu: "1", gpuType: nvidia.com/gpu}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"res.claims.unknown", "0.1.0", block(R"text(
A container claims devices by the name of one of its pod's resourceClaims, once each; each of
these names one ResourceClaim or one ResourceClaimTemplate. Kubernetes refuses a pod where this
does not fit together, so it is denied where it is known to be 1.34 or newer; elsewhere claims may
be dropped unread, and it is a warning. A claim of both the service and mainContainer later
operators make once. Correct the name, or add the claim to extraPodSpec.resourceClaims.
)text"),
     block(R"yaml(
# cluster: Kubernetes 1.35
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
        claims:
          - name: gpu
      extraPodSpec:
        resourceClaims:
          - name: gpus
            resourceClaimTemplateName: two-gpus
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
        claims:
          - name: gpus
      extraPodSpec:
        resourceClaims:
          - name: gpus
            resourceClaimTemplateName: two-gpus
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"res.parallelism.exceeds-gpus", "0.1.0", block(R"text(
An engine needs a GPU for each part of the model: tensor times pipeline parallel size, and with
vLLM times the data parallel size, too. With fewer on its nodes it ends at its start with an error
about the world size. This warns, as the sizes can be changed by what cannot be read here;
sizes in files and variables are not judged. Raise limits.gpu, or lower the sizes.
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
        limits: {gpu: "2"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --tensor-parallel-size, "4"]
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
        limits: {gpu: "4"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --tensor-parallel-size, "4"]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> resources() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

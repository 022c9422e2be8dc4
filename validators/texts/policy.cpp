// Explanations of the rules that a policy gives parameters to.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"policy.replicas", "0.1.0", block(R"text(
Each replica of a service takes GPUs, and a number with a digit too many takes them from all
others. Where the policy gives maxReplicasPerService, more replicas are refused, of a graph's
service, of a component and of a scaling adapter alike; without it this rule is silent. An
autoscaler must not be allowed more than that, or the operator's own writes are refused. Fewer
replicas than before are accepted even where they are still too many.
)text"),
     block(R"yaml(
# policy: maxReplicasPerService: 4
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 40
      extraPodSpec:
        mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}
)yaml"),
     block(R"yaml(
# policy: maxReplicasPerService: 4
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 4
      extraPodSpec:
        mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}
)yaml")},

    {"policy.lora-scheme", "0.1.0", block(R"text(
Workers load a LoRA adapter from wherever its URI says, with the rights that they have. Where the
policy gives allowedLoraSchemes, every other scheme is refused; without it this rule is silent.
The list narrows what dm.lora.scheme accepts and widens nothing: for a scheme that only your own
images can load, the policy must also switch that rule to warn or off. The URI is not repeated in
messages, as it may hold credentials.
)text"),
     block(R"yaml(
# policy: allowedLoraSchemes: [s3]
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: support-adapter
spec:
  modelName: support-adapter
  baseModelName: meta-llama/Llama-3.3-70B-Instruct
  modelType: lora
  source:
    uri: file:///models/support-adapter
)yaml"),
     block(R"yaml(
# policy: allowedLoraSchemes: [s3]
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: support-adapter
spec:
  modelName: support-adapter
  baseModelName: meta-llama/Llama-3.3-70B-Instruct
  modelType: lora
  source:
    uri: s3://adapters/support-adapter
)yaml")},

    {"policy.registry", "0.1.0", block(R"text(
An image runs with the rights of its pod, and one from a registry that is out of reach never
starts. Where the policy gives allowedRegistries, an image from elsewhere is refused: of every
container, init containers, sidecars and volumes among them, and of what a request profiles with;
without it this rule is silent. An entry is a host, or a host with a path, and counts with all
that is below it. An image without a host is of docker.io, and without a folder of
docker.io/library, as container runtimes read it.
)text"),
     block(R"yaml(
# policy: allowedRegistries: [nvcr.io/nvidia, registry.example.com]
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
        mainContainer: {image: "someone/vllm-runtime:0.8.1"}
)yaml"),
     block(R"yaml(
# policy: allowedRegistries: [nvcr.io/nvidia, registry.example.com]
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
        mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}
)yaml")},

    {"policy.resource-limits", "0.1.0", block(R"text(
A container without a memory limit can take a node's memory from everything else that runs there.
Where the policy gives requiredResourceLimits, a main container without one of these limits is
refused; without it this rule is silent. It is looked for in the container as it will be, so
resources of the service and of mainContainer both count, and so do those of the whole pod; a limit
of 0 is none. The name gpu stands for a GPU of any vendor, Gaudi among them, or a resource claim,
and is asked of workers only.
)text"),
     block(R"yaml(
# policy: requiredResourceLimits: [cpu, memory]
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      resources:
        limits: {cpu: "2"}
      extraPodSpec:
        mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}
)yaml"),
     block(R"yaml(
# policy: requiredResourceLimits: [cpu, memory]
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      resources:
        limits: {cpu: "2", memory: 8Gi}
      sharedMemory: {size: 1Gi}
      extraPodSpec:
        mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> policy() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

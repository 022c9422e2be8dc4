// Explanations of the rules for models and the workers that serve them.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"model.update.stale", "0.1.0", block(R"text(
Workers keep an adapter under the name by which it was loaded. After a change of the name nobody
unloads the old one, and after a change of the URI they answer that the name is loaded already
and go on serving the old weights. The object says something else than what runs, until the pods
end; as that may be wanted, it is a warning. Create another DynamoModel for the new version and
delete this one, which unloads it.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer/v1
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer/v2
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer-v2
spec:
  modelName: sql-writer-v2
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer/v2
)yaml")},

    {"model.type.adapter", "0.1.0", block(R"text(
The operator loads weights for modelType lora only. The types base and adapter record which
workers serve a model, and their source is read by nobody, so the adapter is never there and
requests for it fail. A LoRA model with the name of its base model cannot be told from it by
clients. Both are admitted and do harm to nobody else, so this is a warning. As the type never
changes, create the model with modelType lora.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: adapter
  source:
    uri: s3://adapters/sql-writer
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer
)yaml")},

    {"model.lora.scheme", "0.1.0", block(R"text(
Workers fetch an adapter by its URI when they are told to load it, and a fault in it shows up in
their logs only: a bucket or key that is missing, a blank, a part that climbs up. Workers of the
first generation fetch from s3:// and file:/// only, unless their image brings a source for
hf://. Images differ, so this is a warning. The URI is not repeated, as it may hold credentials.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source:
    uri: s3://adapters
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer
)yaml")},

    {"model.ref.mismatch", "0.1.0", block(R"text(
The label by which a DynamoModel finds its workers is made from modelRef.name. Where that is
another model than the command line runs, adapters are loaded into workers that they do not fit,
and the right workers are never found. On a frontend or a planner the reference counts pods as
workers that serve no model. Names on the command line can have other meanings in an image of
your own, so this is a warning.
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
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    Worker:
      componentType: worker
      modelRef:
        name: Qwen/Qwen3-8B
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
      modelRef:
        name: Qwen/Qwen3-0.6B
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"model.lora.worker-support", "0.1.0", block(R"text(
To load adapters a worker needs two things: the engine's own switch, --enable-lora of vLLM, and
DYN_LORA_ENABLED, without which it has no address to be told at. Where prefill and decode are
apart, the adapter has to be on both, so both need the modelRef. Otherwise the DynamoModel stays
not ready, or requests for the adapter fail half-way. Later engines may do with less, so this is
a warning; what comes from Secrets or ConfigMaps is not judged.
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
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    Worker:
      componentType: worker
      modelRef:
        name: Qwen/Qwen3-0.6B
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --enable-lora]
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
      modelRef:
        name: Qwen/Qwen3-0.6B
      envs:
        - name: DYN_LORA_ENABLED
          value: "true"
      replicas: 1
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B, --enable-lora]
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> preflight_model() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

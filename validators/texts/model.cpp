// Explanations of the rules for a DynamoModel.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dm.base-model-name", "0.1.0", block(R"text(
The controller finds the workers of a model by a label that is made from the base model's name.
No worker carries the label of the empty name, so the model would never have an endpoint, and a
LoRA adapter would be loaded nowhere. Therefore it is denied. Write the name exactly as
modelRef.name of the services does.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: ""
  modelType: lora
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

    {"dm.base.immutable", "0.1.0", block(R"text(
The base model decides on which workers an adapter is loaded. After a change the controller
looks at other workers only: on the old ones the adapter stays loaded until their pods end, as
nobody unloads it. The operator has always refused the change. Create a second DynamoModel for
the other base model, and delete the first, which unloads it.
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
    uri: s3://adapters/sql-writer
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-8B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer-8b
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-8B
  modelType: lora
  source:
    uri: s3://adapters/sql-writer-8b
)yaml")},

    {"dm.model-name", "0.1.0", block(R"text(
Under this name an adapter is loaded into the workers, and clients ask for it. A worker refuses
to load an adapter without a name, at each of the retries that follow every 30 seconds, so the
model never becomes ready. Therefore it is denied. Give the name that clients shall use.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: ""
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
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

    {"dm.type.immutable", "0.1.0", block(R"text(
The type decides whether the controller loads anything into the workers. A LoRA adapter that
turns into another type is neither unloaded nor looked after any more: it stays in the memory of
the workers until their pods end. The operator has always refused the change. Create a
DynamoModel of the other type, and delete the first, which unloads it.
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
    uri: s3://adapters/sql-writer
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: sql-writer
spec:
  modelName: sql-writer
  baseModelName: Qwen/Qwen3-0.6B
  modelType: base
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: qwen3
spec:
  modelName: Qwen/Qwen3-0.6B
  baseModelName: Qwen/Qwen3-0.6B
  modelType: base
)yaml")},

    {"dm.lora.source", "0.1.0", block(R"text(
The workers fetch a LoRA adapter from source.uri. Without it there is nothing to fetch: every
worker refuses the call, the controller repeats it every 30 seconds, and the model never becomes
ready. Therefore it is denied. Give source.uri, or make modelType base if the model is no
adapter.
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

    {"dm.lora.scheme", "0.1.0", block(R"text(
The workers fetch adapters from object storage (s3://), from the Hugging Face hub (hf://, where
their image knows it) and from a path that they all mount (file:///). No runtime knows another
scheme, so loading would fail on every worker, every 30 seconds, for ever; therefore it is
denied. Copy the adapter to one of the three. The message does not repeat the URI, as it may
hold credentials.
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
    uri: https://example.com/sql-writer
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
};
// clang-format on

}  // namespace

std::span<const RuleText> model() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

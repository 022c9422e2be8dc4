#include "defaulters/texts.hpp"

#include <algorithm>

namespace dynamo::defaulters {
namespace {

// The lines of a raw literal that begins with a line break.
constexpr std::string_view block(std::string_view literal) {
  return literal.substr(1);
}

// To add a text, add an entry.
// clang-format off
constexpr DefaultText kTexts[] = {
    {"dgd.default.origin-version", "0.1.0", block(R"text(
Later operators read from the annotation which version created the graph, and keep treating it as
that version did. It is set once, on create, to what --operator-version says; an update neither
sets nor changes it. A value that the user gives stays, even an empty one.
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
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 0.8.1
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},

    {"dgd.default.replicas", "0.1.0", block(R"text(
The operator reads absent replicas as one in some places and stops with an error in others, above
all where it builds a graph for Grove; the graph then never gets a pod. With the number written
down all of them agree. It is set on create and on update, for every service of a graph that does
not say how many replicas it has. 0 is a number like others and stays. On an update, a service with
a scaling adapter keeps the number that it has instead: who leaves it out leaves it to the adapter.
In v1beta1 the field is spec.components[i].replicas.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 0.8.1
spec:
  services:
    Frontend:
      componentType: frontend
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 0.8.1
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},

    {"dgd.default.workload-provider", "0.1.0", block(R"text(
Later operators store once whether Grove or components of their own run a graph, and never change
it. A new graph gets grove if the cluster serves grove.io and nvidia.com/enable-grove is not false,
otherwise component; a value that the user gives is overwritten. An update sets nothing. While it is
unknown whether the cluster serves grove.io, the annotation is not changed.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 1.5.0
    nvidia.com/enable-grove: "false"
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 1.5.0
    nvidia.com/enable-grove: "false"
    nvidia.com/workload-provider: component
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml")},

    {"dgd.default.override-target", "0.1.0", block(R"text(
A provider override changes one part of what Grove runs. Its place decides which part: the
PodCliqueSet for the graph, the scaling group of a component that has one, otherwise its clique,
and the cliques of leader and worker. An absent target is set to that part, if the API version is
grove.io/v1alpha1 and Grove runs the graph. A target that the user gives is validated, not changed.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 1.5.0
    nvidia.com/workload-provider: grove
spec:
  providerOverride:
    apiVersion: grove.io/v1alpha1
    value: {spec: {template: {topologyConstraint: {packDomain: rack}}}}
  components:
    - name: Frontend
      type: frontend
      replicas: 1
      minAvailable: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 1.5.0
    nvidia.com/workload-provider: grove
spec:
  providerOverride:
    apiVersion: grove.io/v1alpha1
    target: PodCliqueSet
    value: {spec: {template: {topologyConstraint: {packDomain: rack}}}}
  components:
    - name: Frontend
      type: frontend
      replicas: 1
      minAvailable: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml")},

    {"dgd.default.min-available", "0.1.0", block(R"text(
Grove starts the pods of a component together, at least minAvailable replicas of them. The number is
set to one on create and on update, if Grove runs the graph and the component does not say it. It
cannot change afterwards. A component that components run must not have the field.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 1.5.0
    nvidia.com/workload-provider: grove
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: 2
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    nvidia.com/dynamo-operator-origin-version: 1.5.0
    nvidia.com/workload-provider: grove
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: 2
      minAvailable: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml")},

    {"dcd.default.name", "0.1.0", block(R"text(
The operator names labels and Services of a component after spec.name, which v1beta1 requires. An
empty one is set to the name of the object when that is created; clients written in Go send it
empty. An object with generateName has no name yet and keeps the empty one.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoComponentDeployment
metadata:
  name: worker
spec:
  name: ""
  type: worker
  replicas: 1
  podTemplate:
    spec:
      containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoComponentDeployment
metadata:
  name: worker
spec:
  name: worker
  type: worker
  replicas: 1
  podTemplate:
    spec:
      containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)yaml")},

    {"dgdr.default.image", "0.1.0", block(R"text(
The profiling job runs spec.image. A request that is created without it gets the image of the
planner with the operator's version as its tag, from --operator-version. Nothing is set if that is
unknown, and an update never sets it.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  image: nvcr.io/nvidia/ai-dynamo/dynamo-planner:0.8.1
)yaml")},
};
// clang-format on

}  // namespace

std::span<const DefaultText> texts() {
  return kTexts;
}

const DefaultText* find_text(std::string_view id) {
  const auto at = std::ranges::find(kTexts, id, &DefaultText::id);
  return at == std::end(kTexts) ? nullptr : &*at;
}

}  // namespace dynamo::defaulters

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

// Explanations of the rules for a service of component type epp, the endpoint picker.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"epp.inference-pool.available", "0.1.0", block(R"text(
For an endpoint picker the operator creates an InferencePool. Where the cluster does not serve
inference.networking.k8s.io that creation fails, and the reconcile stops there, before any pod
of the whole graph. It is denied where the server has looked and not found the group; where
nobody has looked it is a warning. Install the Gateway API Inference Extension and apply the
graph again.
)text"),
     block(R"yaml(
# cluster: does not serve inference.networking.k8s.io
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml"),
     block(R"yaml(
# cluster: serves inference.networking.k8s.io
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml")},

    {"epp.config.required", "0.1.0", block(R"text(
The endpoint picker starts with a configuration file that names its plugins, and the operator
mounts it from eppConfig. Without one the reconcile ends with an error before any pod of the
graph is made, every time; therefore it is denied. Give the configuration inline in
eppConfig.config, or name a ConfigMap in eppConfig.configMapRef.
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
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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
            - name: picker
              type: max-score-picker
          schedulingProfiles:
            - name: default
              plugins:
                - pluginRef: picker
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml")},

    {"epp.config.source", "0.1.0", block(R"text(
The picker reads one file. With both sources the operator mounts the ConfigMap and the inline
configuration is lost without a word; with none the reconcile ends with an error before any pod
is made. Either way what was written cannot take effect, so it is denied. Keep exactly one of
configMapRef and config.
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
        config:
          plugins:
            - name: picker
              type: max-score-picker
          schedulingProfiles:
            - name: default
              plugins:
                - pluginRef: picker
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml")},

    {"epp.config.ref-name", "0.1.0", block(R"text(
The ConfigMap is mounted into the picker's pod by its name. Kubernetes refuses a pod template
with a ConfigMap volume that names none, so the picker never starts, and no request finds a
worker through the gateway; therefore it is denied. Name a ConfigMap in the namespace of the
graph.
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
        configMapRef:
          name: ""
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml")},

    {"epp.single-node", "0.1.0", block(R"text(
The InferencePool of a graph refers to one picker, and there is no engine in it that could
spread over nodes. A picker on several nodes would be several pickers: each knows part of what
the workers' caches hold, and the gateway asks only the leader. That can never be of use, and
the operator has always refused it. Remove multinode.
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
      multinode:
        nodeCount: 2
      eppConfig:
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml")},

    {"epp.single-replica", "0.1.0", block(R"text(
The picker keeps in its memory which worker holds which part of the KV cache. Several pickers
would each know a part and send requests past warm caches; without any, the gateway can place no
request at all. The operator has always refused every count but one. Set replicas: 1, and scale
the workers instead.
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
      replicas: 2
      eppConfig:
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
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
        configMapRef:
          name: endpoint-picker
          key: config.yaml
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:0.8.1
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> endpoint_picker() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for ports, variables of the operator and ways in.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"net.port.named-lost", "0.1.0", block(R"text(
A list of ports in mainContainer replaces the default one. The default probes, and the Service of
a frontend, call the container by the name of a port: http of a frontend, system of a worker. When
the name is gone Kubernetes takes the pod all the same, but its probes fail, or the Service leads
nowhere. The API server does not check such names, and a port of that name in a sidecar is enough
for the Service, so this is a warning; list the named port beside your own.
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
          args: [--model, Qwen/Qwen3-0.6B]
          ports:
            - name: nixl
              containerPort: 19090
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
          ports:
            - name: system
              containerPort: 9090
            - name: nixl
              containerPort: 19090
)yaml")},

    {"net.port.moved", "0.1.0", block(R"text(
A worker answers its probes on the port in DYN_SYSTEM_PORT, a frontend serves on that of
DYN_HTTP_PORT or --http-port. The default probes, and the Service of a frontend, go on calling
9090 and 8000 until a port of the name system or http says otherwise, and the pod is never ready.
What really listens is known only when it runs, so this is a warning. Set the variable and the
named port to the same number, or leave both alone.
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
      envs:
        - name: DYN_SYSTEM_PORT
          value: "8081"
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
    Worker:
      componentType: worker
      replicas: 1
      envs:
        - name: DYN_SYSTEM_PORT
          value: "8081"
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          ports:
            - name: system
              containerPort: 8081
)yaml")},

    {"net.env.reserved", "0.1.0", block(R"text(
By these variables the runtime knows its graph, its namespace and its pod: DYN_NAMESPACE,
DYN_COMPONENT, DYN_DISCOVERY_BACKEND, DYN_PARENT_DGD_K8S_NAME and the like, and POD_NAME,
POD_NAMESPACE and POD_UID. A value of the user's wins over the operator's, and then the workers
register where no frontend looks for them. Somebody may mean that, so it is a warning. Remove the
variable; to share one Dynamo namespace set globalDynamoNamespace.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: default
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      envs:
        - name: DYN_NAMESPACE
          value: shared
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
  namespace: default
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      globalDynamoNamespace: true
      resources:
        limits: {gpu: "1"}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml")},

    {"net.ingress.host", "0.1.0", block(R"text(
The host of an Ingress is hostPrefix, host, '.' and hostSuffix, or "local" where there is no
suffix. The API server refuses an Ingress whose host is no DNS name in lower case, and the graph
never becomes ready, so it is denied; where it is not certain that an Ingress is made, that is a
warning. A host with dots but without a suffix is a warning too, since ".local" is appended to it.
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
      ingress:
        enabled: true
        ingressControllerClassName: nginx
        host: Chat
        hostSuffix: example.com
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.frontend]
          args: [--http-port, "8000"]
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
      ingress:
        enabled: true
        ingressControllerClassName: nginx
        host: chat
        hostSuffix: example.com
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.frontend]
          args: [--http-port, "8000"]
)yaml")},

    {"net.ingress.no-effect", "0.1.0", block(R"text(
An ingress is made for a class, or as a VirtualService for a gateway; with neither the operator
makes nothing and says nothing. It leads to port 8000, which only the Service of a frontend has,
and nothing of its annotations and labels is copied. All that is accepted without effect, so these
are warnings. Set ingressControllerClassName on the ingress of the frontend.
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
      ingress:
        enabled: true
        host: chat
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.frontend]
          args: [--http-port, "8000"]
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
      ingress:
        enabled: true
        ingressControllerClassName: nginx
        host: chat
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.frontend]
          args: [--http-port, "8000"]
)yaml")},

    {"net.host-network", "0.1.0", block(R"text(
With hostNetwork a port of the container is a port of its node, so Kubernetes refuses a hostPort
that differs from the containerPort, and that is denied. Two warnings belong to it: replicas of
one service take the same ports, so each needs a node of its own, and with the dnsPolicy
ClusterFirst the pod resolves names as its node does. Set dnsPolicy to ClusterFirstWithHostNet.
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
        hostNetwork: true
        dnsPolicy: ClusterFirstWithHostNet
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          ports:
            - name: system
              containerPort: 9090
              hostPort: 19090
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
        hostNetwork: true
        dnsPolicy: ClusterFirstWithHostNet
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
          ports:
            - name: system
              containerPort: 9090
)yaml")},

    {"net.service-account", "0.1.0", block(R"text(
Where services find each other through the API server, the operator gives their pods an account
with the rights for it, but only to pods that name no account. With another account the pods start
and then can neither register nor find anybody. Whether it has the rights is not known here, so
this is a warning. Let it list and watch endpoints and endpointslices and write
dynamoworkermetadatas, or remove the field.
)text"),
     block(R"yaml(
# operator: finds services through the API server
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
        serviceAccountName: model-reader
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
)yaml"),
     block(R"yaml(
# operator: finds services through the API server
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
};
// clang-format on

}  // namespace

std::span<const RuleText> network() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for names.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgd.services.name-collision", "0.1.0", block(R"text(
Every name that is made for a service is in lower case, and some have a suffix: Grove calls the
nodes of worker "worker-ldr" and "worker-wkr", the operator makes Services "worker-p" and
"worker-d", and LeaderWorkerSets have numbers. Two services that arrive at one name overwrite
each other's objects at every reconcile, for ever. What happens on every pathway, and what is
known to happen on Grove, is denied; the rest is a warning. Rename one of the services.
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
    worker:
      componentType: worker
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
    worker-large:
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

    {"dgd.services.name-dns", "0.1.0", block(R"text(
The name of a service becomes the value of a label and, in lower case, a part of the names of
Deployments, Services and pods. Kubernetes refuses these objects when the name holds an
underscore or a dot, begins or ends with a hyphen, or is longer than 63 characters, and the
graph never comes up. As no pathway and no operator copes with it, it is denied. Use letters,
digits and hyphens; upper case letters are fine.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    vllm_worker:
      componentType: worker
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
  services:
    VllmWorker:
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

    {"dgd.name.dot-or-digit", "0.1.0", block(R"text(
Services are named after the object, and the name of a Service has no dot and, before Kubernetes
1.36, begins with a letter. A dot also cuts the path under which workers register. With first
operators this is denied where a Service is certain to be made: without Grove always, with it for
frontends and for discovery through the API server; of a digit the version of Kubernetes has to be
known too. Later operators replace dots and may make no Service of that name, so with them a digit
is a warning, as everything is where nothing is known. Put hyphens where the dots are, and a
letter in front.
)text"),
     block(R"yaml(
# cluster: does not serve grove.io
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: llama-3.1-8b
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
)yaml"),
     block(R"yaml(
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: llama-3-1-8b
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

    {"dgd.name.length.grove", "0.1.0", block(R"text(
Grove puts the names of graph, scaling group and clique together and takes at most 45
characters; for a service on several nodes the name counts twice, with 4 characters more. Beyond
that Grove refuses the whole graph, which the graph only says deep in its status. Later
operators shorten the graph's name, so this is denied only where Grove is known to run the graph
and the operator cannot shorten it enough; else it is a warning. Shorten the name of the graph
or of the service.
)text"),
     block(R"yaml(
# cluster: serves grove.io
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: customer-support-summarizer
spec:
  services:
    LongContextDecodeWorker:
      componentType: worker
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
# cluster: serves grove.io
# operator: of the first generation
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: customer-support-summarizer
spec:
  services:
    DecodeWorker:
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

    {"dgd.name.length.label", "0.1.0", block(R"text(
Each child of a graph carries a label made of namespace and graph, NAMESPACE-NAME, and the
objects for discovery through the API server carry NAME-k8s-service-discovery. A label has at
most 63 characters, so Kubernetes refuses the children of a graph with a longer one. The first
is denied; the second only with an operator that is known not to shorten it, else it is a
warning. Shorten the name of the graph, or move it to a namespace with a shorter name; services
with globalDynamoNamespace have no such label.
)text"),
     block(R"yaml(
# operator: finds services through etcd
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: multilingual-customer-support-chat
  namespace: machine-learning-platform-team
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
)yaml"),
     block(R"yaml(
# operator: finds services through etcd
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: multilingual-support-chat
  namespace: machine-learning-platform-team
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

    {"dgd.name.length.service", "0.1.0", block(R"text(
Deployment and Service of a service are named GRAPH-service, and its pods carry that as a label.
Kubernetes takes at most 63 characters and refuses what is longer on every pathway, so it is
denied. Outside of Grove two more Services have "-p" and "-d" behind the name; when only these
become too long it is a warning. There later operators put a hash of nine characters behind the
names of workers, and what leaves no room for it is denied for them. Shorten the name of
the service or of the graph.
)text"),
     block(R"yaml(
# cluster: does not serve grove.io
# operator: finds services through etcd
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: retrieval-augmented-generation-chat
spec:
  services:
    SpeculativeDecodingDraftModelWorker:
      componentType: worker
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
# cluster: does not serve grove.io
# operator: finds services through etcd
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: retrieval-augmented-generation-chat
spec:
  services:
    DraftWorker:
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

    {"dgd.name.length.lws", "0.1.0", block(R"text(
A service on several nodes becomes one LeaderWorkerSet per replica, named GRAPH-service-NUMBER.
It makes StatefulSets, which put a hash of ten characters behind the name and use both as a label,
so that 51 characters are left. Where LeaderWorkerSets are known to run the service a name that is
too long for the first replica is denied, as its pods are never made; else it is a warning. So is a
name that is too long only for later replicas, with more digits: those before them run, and an
autoscaler is not held back. Shorten the name of the service or of the graph.
)text"),
     block(R"yaml(
# cluster: does not serve grove.io
# cluster: serves leaderworkerset.x-k8s.io
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: customer-support-summarizer
spec:
  services:
    LongContextDecodeWorker:
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
# cluster: does not serve grove.io
# cluster: serves leaderworkerset.x-k8s.io
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: customer-support-summarizer
spec:
  services:
    DecodeWorker:
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

    {"dgd.component-type.unknown", "0.1.0", block(R"text(
The operator gives probes, ports and engine settings to six types: frontend, worker, prefill,
decode, planner and epp. Any other word is a service of your own, which gets none of them, so a
misspelled one comes up and is never called. What is nearly one of the six is therefore a
warning. The word also becomes a label: one that cannot be a label is denied, as Kubernetes
refuses the pods. The API of later operators takes the six only, and refuses the whole graph for
another word.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
      componentType: Worker
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

    {"dgd.component-type.missing", "0.1.0", block(R"text(
The Service of a component selects its pods by their type. Without one it asks for an empty
label, which no pod has, so it leads nowhere and discovery through the API server does not see
the pods; they have no probes either. The pods do run, hence a warning. Set frontend, worker,
prefill, decode, planner or epp, or a word of your own.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  services:
    Worker:
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

    {"job.name.length", "0.1.0", block(R"text(
The profiling of a request runs in a job called profile-NAME, the making of a checkpoint by first
operators in one called checkpoint-NAME; later ones name it after a hash. A job puts its name on
its pods as a label of at most 63 characters, so Kubernetes refuses a longer one; a request that
fails so never tries again, hence it is denied. A deploymentOverrides.name that no graph can have
is a warning, as the graph comes later. Shorten the name.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b-with-two-hundred-milliseconds-to-the-first-token
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b-with-200-ms-to-the-first-token
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},

    {"cross.namespace-scope", "0.1.0", block(R"text(
An operator that looks after the whole cluster drops every event of a namespace with "ephemeral"
in its name: the object is stored, and nothing is ever made of it, without a word in its status.
It is a warning, as an operator that is restricted to the namespace looks after it all the same;
a server that is restricted to a namespace itself says nothing. Use another namespace, or install
an operator for this one.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: team-a-ephemeral
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
# server: --restricted-namespace=team-a-ephemeral
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: team-a-ephemeral
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

std::span<const RuleText> naming() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

// Explanations of the rules for a DynamoGraphDeploymentRequest.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgdr.spec.immutable", "0.1.0", block(R"text(
The controller reads the spec once, when it starts the profiling job. Of a later change it only
writes the event SpecChangeRejected; from then on it does nothing more for this request, even if
the change is taken back. The change can thus have no effect but harm, and it is denied while
status.state is Profiling, Deploying, Ready or DeploymentDeleted. Create a new request, and
delete the old one.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
status:
  state: Profiling
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 500, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
status:
  state: Profiling
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b-relaxed
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 500, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},

    {"dgdr.gpu-discovery.scope", "0.1.0", block(R"text(
To discover GPUs the profiling job reads the nodes of the cluster. An operator that is
restricted to one namespace can only grant rights inside it, and nodes are outside, so the job
fails; a request that has failed is never tried again. Therefore it is denied, but only while
--restricted-namespace is set. Set enableGpuDiscovery to false, and describe the GPUs in
config.hardware.
)text"),
     block(R"yaml(
# server: --restricted-namespace=team-a
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
  namespace: team-a
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  enableGpuDiscovery: true
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
# server: --restricted-namespace=team-a
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
  namespace: team-a
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  enableGpuDiscovery: false
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      hardware: {minNumGpusPerEngine: 1, maxNumGpusPerEngine: 8, numGpusPerNode: 8}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml")},

    {"dgdr.config.required", "0.1.0", block(R"text(
The profiler reads its targets and its search space from this configuration. Without it the
request goes to Failed before the job is made, and a failed request is never tried again, not
even after a correction; therefore it is denied. Give at least the targets: config.sla with isl,
osl, ttft and itl.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
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

    {"dgdr.config.parses", "0.1.0", block(R"text(
The controller adds model, backend and image to the configuration before it hands it to the
profiling job, for which it must be an object of names and values. Of any other form the request
goes to Failed, and a failed request is never tried again; therefore it is denied. Often the
configuration has become a text by a "|" behind config: remove it.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config: |
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
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

    {"dgdr.config.backend-overwritten", "0.1.0", block(R"text(
The controller writes spec.backend over config.engine.backend before the profiling job starts,
so the other engine named here is never profiled. The job runs, though with another engine than
one may expect, hence a warning. Remove config.engine.backend, or change spec.backend if the
other engine is meant.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      engine:
        backend: sglang
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
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

    {"dgdr.config.model-overwritten", "0.1.0", block(R"text(
The controller writes spec.model over config.deployment.model before the profiling job starts,
so the other model named here is never profiled. The job runs, though for another model than one
may expect, hence a warning. Remove config.deployment.model, or change spec.model if the other
model is meant.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      deployment:
        model: Qwen/Qwen3-8B
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
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

    {"dgdr.profiler-image", "0.1.0", block(R"text(
The profiling job runs this image. Kubernetes refuses a pod whose container has none: the job
cannot be made, the request goes to Failed, and a failed request is never tried again. Therefore
it is denied. Name a runtime image of the same engine as spec.backend.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  profilingConfig:
    profilerImage: ""
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
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
};
// clang-format on

}  // namespace

std::span<const RuleText> request() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

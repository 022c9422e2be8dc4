// Explanations of the rules for what lets a profiling job fail.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgdr.update.frozen", "0.1.0", block(R"text(
Failed is the last state of a request: the operator never looks at its spec again, so an edit
that repairs the fault has no effect and gives no message. Nothing else is harmed by it, so this
is a warning. Delete the request and create it anew with the right spec.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 2, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
status:
  state: Failed
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
status:
  state: Failed
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},

    {"dgdr.values", "0.1.0", block(R"text(
The profiler checks its numbers when it starts and ends at once where they cannot be right:
targets of 0 milliseconds, lengths below 1, more GPUs at least than at most, an input and output
that do not fit into the context. A request that has failed is never tried again. Without a
model and without a graph to start from a request fails, unless engine.config leads the profiler
to one. All of this is a warning, because profilers of other versions read them differently.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      hardware:
        minNumGpusPerEngine: 8
        maxNumGpusPerEngine: 4
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      hardware:
        minNumGpusPerEngine: 4
        maxNumGpusPerEngine: 8
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},

    {"dgdr.config.shape", "0.1.0", block(R"text(
The configuration is an object of sections, each an object itself. The first operators write into
deployment and engine when they create the profiling job: where one is a text, a number or a list,
the job is not created and the request has failed for good, so that is denied with them. Later
ones ignore it and run the job without those settings, and what stands in the other sections is
handed on unread; the profiler finds no setting there, which is a warning.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      engine: fast
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      sweep:
        prefillInterpolationGranularity: 16
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},

    {"dgdr.config.unknown-key", "0.1.0", block(R"text(
The definition lets every key through, and the profiler passes over those that it does not know.
A target with a slip in its name is then no target, and hours of profiling are spent on the
default. Some keys have moved: the section aic has become settings of sweep, and the profiler
finds out by itself whether a model is a mixture of experts. Profilers of other versions may
read more keys, so this is a warning.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, tftt: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},

    {"dgdr.aic.system", "0.1.0", block(R"text(
With useAiConfigurator the profiler measures nothing but simulates, for the GPUs that aicSystem
names. Without the name it ends with an error, and the request has failed for good. An
aicBackend other than spec.backend gives figures for an engine that is not deployed. What
profilers demand changes with their version, so this is a warning, which a policy can turn into
a refusal.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      sweep:
        useAiConfigurator: true
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      sweep:
        useAiConfigurator: true
        aicSystem: h200_sxm
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},

    {"dgdr.model-cache", "0.1.0", block(R"text(
The profiling job mounts the claim at mountPath and looks for the model at pvcPath below it.
Without pvcPath the root of the volume is taken for the model, and an absolute pvcPath elsewhere
is not on the volume at all. The folders /data and /config belong to the job itself. A volume
can be laid out as its owner likes, so this is a warning.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      deployment:
        modelCache:
          pvcName: models
          pvcPath: /models/qwen3-32b
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
      deployment:
        modelCache:
          pvcName: models
          pvcPath: qwen3-32b
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},

    {"dgdr.images", "0.1.0", block(R"text(
Profiling on real engines starts the workers from workersImage, or from the graph in
configMapRef. Where both are missing, the profiler's own graph is used, whose images have a
placeholder for a tag: no node can pull them, and the job waits until it fails. An image of
another engine than spec.backend cannot start either. Repositories can have any name, so this is
a warning.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata:
  name: qwen3-32b
spec:
  model: Qwen/Qwen3-32B
  backend: trtllm
  profilingConfig:
    profilerImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
    config:
      sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}
  deploymentOverrides:
    workersImage: nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> preflight_request() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

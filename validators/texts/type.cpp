// What is said of field types.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"type.mismatch", "0.1.0", block(R"text(
The operator reads an object into typed fields. One value of another type makes the whole object
unreadable to it: no pod is created, no status written, only its log tells. No retry mends that,
so it is denied, and no policy softens that, as no other rule reads such a value. As a rule the API
server's schema says it first; this rule speaks where the installed CRD is older or more lenient.
Write numbers and booleans without quotes, texts with them, and sizes as quantities such as 16Gi.
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
      replicas: "2"
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
      replicas: 2
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

std::span<const RuleText> type() {
  return kTexts;
}

}  // namespace dynamo::validators::texts

#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define REQUEST(fields) \
  "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {}}" fields "}"
#define CONFIG(config) \
  "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: " config "}}"
#define IN_STATE(state, spec)                                                              \
  "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, metadata: {name: " \
  "example}, status: {state: " state "}, spec: " spec "}"

const std::string kConfig = "spec.profilingConfig.config";

RuleTable spec_immutable() {
  const std::vector<Finding> refused{{kForbidden, "spec"}};
  const auto change_in = [&](std::string_view name, std::string_view old_object,
                             std::vector<Finding> errors) {
    return Row{.name = name, .errors = std::move(errors),
               .object = IN_STATE("Pending", REQUEST(", autoApply: true")),
               .old_object = old_object};
  };
  return {"dgdr.spec.immutable", kGraphDeploymentRequest, {
      change_in("while_empty", IN_STATE("''", REQUEST("")), {}),
      change_in("while_pending", IN_STATE("Pending", REQUEST("")), {}),
      change_in("once_failed", IN_STATE("Failed", REQUEST("")), {}),
      change_in("while_profiling", IN_STATE("Profiling", REQUEST("")), refused),
      change_in("while_deploying", IN_STATE("Deploying", REQUEST("")), refused),
      change_in("once_ready", IN_STATE("Ready", REQUEST("")), refused),
      change_in("once_deleted", IN_STATE("DeploymentDeleted", REQUEST("")), refused),
      {.name = "no_status", .spec = REQUEST(", autoApply: true"), .old_spec = REQUEST("")},
      {.name = "unchanged_but_for_the_order",
       .object = IN_STATE("Ready", "{backend: vllm, model: m, "
                                   "profilingConfig: {config: {}, profilerImage: i}}"),
       .old_object = IN_STATE("Ready", REQUEST(""))},
  }};
}

}  // namespace

std::vector<RuleTable> request_tables() {
  const api::Settings restricted{
      .operator_version = "1.2.3", .operator_service_account = {},
      .restricted_namespace = "team-a"};
  return {
      spec_immutable(),
      {"dgdr.gpu-discovery.scope", kGraphDeploymentRequest, {
          {.name = "cluster_wide", .spec = REQUEST(", enableGpuDiscovery: true")},
          {.name = "off", .spec = REQUEST(", enableGpuDiscovery: false"), .settings = restricted},
          {.name = "absent", .spec = REQUEST(""), .settings = restricted},
          {.name = "restricted", .spec = REQUEST(", enableGpuDiscovery: true"),
           .errors = {{kForbidden, "spec.enableGpuDiscovery"}}, .settings = restricted},
      }},
      {"dgdr.profiler-image", kGraphDeploymentRequest, {
          {.name = "set", .spec = REQUEST("")},
          {.name = "absent", .spec = "{profilingConfig: {config: {}}}",
           .errors = {{kRequired, "spec.profilingConfig.profilerImage"}}},
          {.name = "empty", .spec = "{profilingConfig: {config: {}, profilerImage: ''}}",
           .errors = {{kRequired, "spec.profilingConfig.profilerImage"}}},
      }},
      {"dgdr.config.required", kGraphDeploymentRequest, {
          {.name = "empty_object", .spec = CONFIG("{}")},
          {.name = "null", .spec = CONFIG("null"), .errors = {{kRequired, kConfig}}},
          {.name = "absent", .spec = "{profilingConfig: {profilerImage: i}}",
           .errors = {{kRequired, kConfig}}},
          {.name = "no_spec_at_all", .errors = {
               {kRequired, kConfig},
               {kRequired, "spec.profilingConfig.profilerImage", "dgdr.profiler-image"}},
           .object = "{metadata: {name: a}}"},
      }},
      {"dgdr.config.parses", kGraphDeploymentRequest, {
          {.name = "object", .spec = CONFIG("{sla: {ttft: 200}}")},
          {.name = "text", .spec = CONFIG("'sla: {ttft: 200}'"), .errors = {{kInvalid, kConfig}}},
          {.name = "list", .spec = CONFIG("[]"), .errors = {{kInvalid, kConfig}}},
          {.name = "number", .spec = CONFIG("7"), .errors = {{kInvalid, kConfig}}},
          {.name = "boolean", .spec = CONFIG("false"), .errors = {{kInvalid, kConfig}}},
      }},
      {"dgdr.config.backend-overwritten", kGraphDeploymentRequest, {
          {.name = "absent", .spec = CONFIG("{engine: {}}")},
          {.name = "same", .spec = CONFIG("{engine: {backend: vllm}}")},
          {.name = "empty", .spec = CONFIG("{engine: {backend: ''}}")},
          {.name = "no_string", .spec = CONFIG("{engine: {backend: 7}}")},
          {.name = "another", .spec = CONFIG("{engine: {backend: sglang}}"),
           .warnings = {{kConfig + ".engine.backend", ""}}},
      }},
      {"dgdr.config.model-overwritten", kGraphDeploymentRequest, {
          {.name = "same", .spec = CONFIG("{deployment: {model: m}}")},
          {.name = "empty", .spec = CONFIG("{deployment: {model: ''}}")},
          {.name = "another", .spec = CONFIG("{deployment: {model: other}}"),
           .warnings = {{kConfig + ".deployment.model", ""}}},
          {.name = "both",
           .spec = CONFIG("{deployment: {model: other}, engine: {backend: trtllm}}"),
           .warnings = {{kConfig + ".deployment.model", ""},
                        {kConfig + ".engine.backend", "dgdr.config.backend-overwritten"}}},
      }},
  };
}

// clang-format on

}  // namespace dynamo::test

#undef REQUEST
#undef CONFIG
#undef IN_STATE

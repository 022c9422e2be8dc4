#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define IDENTITY "identity: {model: m, backendFramework: vllm}"
#define POD "podTemplateSpec: {spec: {containers: [{name: main}]}}"
#define JOB(fields) "{" IDENTITY ", job: {" POD fields "}}"

RuleTable job_limits() {
  const std::vector<Finding> deadline{{kInvalid, "spec.job.activeDeadlineSeconds"}};
  const std::vector<Finding> backoff{{kInvalid, "spec.job.backoffLimit"}};
  const std::vector<Finding> ttl{{kInvalid, "spec.job.ttlSecondsAfterFinished"}};
  return {"ckpt.job.limits", kCheckpoint, {
      {.name = "absent", .spec = JOB("")},
      {.name = "smallest",
       .spec = JOB(", activeDeadlineSeconds: 1, backoffLimit: 0, ttlSecondsAfterFinished: 0")},
      {.name = "above",
       .spec = JOB(", activeDeadlineSeconds: 2, backoffLimit: 1, ttlSecondsAfterFinished: 1")},
      {.name = "no_deadline", .spec = JOB(", activeDeadlineSeconds: 0"), .errors = deadline},
      {.name = "negative_deadline", .spec = JOB(", activeDeadlineSeconds: -1"), .errors = deadline},
      {.name = "negative_backoff", .spec = JOB(", backoffLimit: -1"), .errors = backoff},
      {.name = "negative_ttl", .spec = JOB(", ttlSecondsAfterFinished: -1"), .errors = ttl},
      {.name = "all",
       .spec = JOB(", activeDeadlineSeconds: 0, backoffLimit: -1, ttlSecondsAfterFinished: -1"),
       .errors = {deadline[0], backoff[0], ttl[0]}},
      {.name = "deadline_beyond_32_bits", .spec = JOB(", activeDeadlineSeconds: 4294967296")},
      {.name = "an_old_fault_stays", .spec = JOB(", backoffLimit: -1"),
       .old_spec = JOB(", backoffLimit: -1")},
      {.name = "an_old_fault_changes", .spec = JOB(", backoffLimit: -2"),
       .old_spec = JOB(", backoffLimit: -1"), .errors = backoff},
      {.name = "a_new_fault_beside_an_old_one",
       .spec = JOB(", backoffLimit: -1, ttlSecondsAfterFinished: -1"),
       .old_spec = JOB(", backoffLimit: -1"), .errors = ttl},
      {.name = "an_old_fault_is_corrected", .spec = JOB(", backoffLimit: 0"),
       .old_spec = JOB(", backoffLimit: -1")},
  }};
}

}  // namespace

std::vector<RuleTable> checkpoint_tables() {
  return {
      {"ckpt.identity.immutable", kCheckpoint, {
          {.name = "same_in_another_order",
           .spec = "{identity: {backendFramework: vllm, model: m}, job: {" POD "}}",
           .old_spec = JOB("")},
          {.name = "the_job_may_change", .spec = JOB(", backoffLimit: 5"), .old_spec = JOB("")},
          {.name = "changed",
           .spec = "{identity: {backendFramework: vllm, model: other}, job: {" POD "}}",
           .old_spec = JOB(""), .errors = {{kForbidden, "spec.identity"}}},
          {.name = "extended",
           .spec = "{identity: {backendFramework: vllm, model: m, dtype: fp8}, job: {" POD "}}",
           .old_spec = JOB(""), .errors = {{kForbidden, "spec.identity"}}},
          {.name = "removed", .spec = "{job: {" POD "}}", .old_spec = JOB(""),
           .errors = {{kForbidden, "spec.identity"},
                      {kRequired, "spec.identity.backendFramework", "ckpt.identity.complete"}}, .warnings = {{"spec.identity.model", "ckpt.identity.complete"}}},
      }},
      {"ckpt.identity.complete", kCheckpoint, {
          {.name = "complete", .spec = JOB("")},
          {.name = "no_model", .spec = "{identity: {backendFramework: vllm}, job: {" POD "}}",
           .warnings = {{"spec.identity.model", ""}}},
          {.name = "empty_framework",
           .spec = "{identity: {backendFramework: '', model: m}, job: {" POD "}}",
           .errors = {{kRequired, "spec.identity.backendFramework"}}},
          {.name = "no_identity", .spec = "{job: {" POD "}}",
           .errors = {{kRequired, "spec.identity.backendFramework"}}, .warnings = {{"spec.identity.model", ""}}},
          {.name = "an_old_fault_stays", .spec = "{identity: {model: m}, job: {" POD "}}",
           .old_spec = "{identity: {model: m}, job: {" POD "}}"},
          {.name = "a_fault_is_made", .spec = "{identity: {model: m}, job: {" POD "}}",
           .old_spec = JOB(""),
           .errors = {{kForbidden, "spec.identity", "ckpt.identity.immutable"},
                      {kRequired, "spec.identity.backendFramework"}}},
      }},
      {"ckpt.job.pod", kCheckpoint, {
          {.name = "one_container", .spec = JOB("")},
          {.name = "no_job", .spec = "{" IDENTITY "}",
           .errors = {{kRequired, "spec.job.podTemplateSpec.spec.containers"}}},
          {.name = "no_containers",
           .spec = "{" IDENTITY ", job: {podTemplateSpec: {spec: {containers: []}}}}",
           .errors = {{kRequired, "spec.job.podTemplateSpec.spec.containers"}}},
          {.name = "an_old_fault_stays", .spec = "{" IDENTITY ", job: {backoffLimit: 1}}",
           .old_spec = "{" IDENTITY "}"},
          {.name = "a_fault_is_made", .spec = "{" IDENTITY "}", .old_spec = JOB(""),
           .errors = {{kRequired, "spec.job.podTemplateSpec.spec.containers"}}},
      }},
      job_limits(),
  };
}

// clang-format on

}  // namespace dynamo::test

#undef IDENTITY
#undef POD
#undef JOB

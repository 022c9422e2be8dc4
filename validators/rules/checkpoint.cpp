// Rules for a DynamoCheckpoint.
#include <cstdint>
#include <string>
#include <string_view>

#include "validators/rule.hpp"

namespace dynamo::validators::checkpoint {

using api::Checkpoint;
using api::Context;
using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kIdentity = kSpec.child("identity");
constexpr FieldPath kJob = kSpec.child("job");

void require_minimum(json::Value job, std::string_view field, std::int64_t minimum,
                     Report& report) {
  const auto value = job[field].integer();
  if (!value || *value >= minimum) return;
  report.add(ErrorType::kInvalid, kJob.child(field),
             "must be " + std::to_string(minimum) + " or more; found " + std::to_string(*value));
}

void identity_immutable(const Context&, const Checkpoint& now, const Checkpoint* old,
                        Report& report) {
  if (old == nullptr || json::equal(old->identity(), now.identity())) return;
  report.add(ErrorType::kForbidden, kIdentity,
             "must not change after creation, it names what was saved; "
             "create another DynamoCheckpoint");
}

void identity_complete(const Context&, const Checkpoint& now, const Checkpoint*, Report& report) {
  const auto is_given = [&](std::string_view field) {
    return !now.identity()[field].string_or_empty().empty();
  };
  if (!is_given("backendFramework")) {
    report.add(ErrorType::kRequired, kIdentity.child("backendFramework"),
               "must not be empty; it is part of what the checkpoint is found by");
  }
  // The operator creates a job from it nevertheless.
  const bool readable = (now.spec().is_nothing() || now.spec().is_object()) &&
                        (now.identity().is_nothing() || now.identity().is_object());
  const json::Value model = now.identity()["model"];
  if (readable && (model.is_nothing() || model.string() == "")) {
    report.also_warn(kIdentity.child("model"),
                     "must not be empty: a second checkpoint without a model is taken for this "
                     "one; name the model");
  }
}

void job_pod(const Context&, const Checkpoint& now, const Checkpoint*, Report& report) {
  if (now.job()["podTemplateSpec"]["spec"]["containers"].size() > 0) return;
  report.add(ErrorType::kRequired, kJob.child("podTemplateSpec").child("spec").child("containers"),
             "must hold at least one container; give the worker whose state is saved");
}

void job_limits(const Context&, const Checkpoint& now, const Checkpoint*, Report& report) {
  require_minimum(now.job(), "activeDeadlineSeconds", 1, report);
  require_minimum(now.job(), "backoffLimit", 0, report);
  require_minimum(now.job(), "ttlSecondsAfterFinished", 0, report);
}

}  // namespace

extern constexpr Rule kIdentityImmutableRule{
    .id = "ckpt.identity.immutable",
    .kinds = kinds::kCheckpoints,
    .operations = kOnUpdate,
    .function = &identity_immutable,
    .field = "spec.identity",
};

extern constexpr Rule kIdentityCompleteRule{
    .id = "ckpt.identity.complete",
    .kinds = kinds::kCheckpoints,
    .function = &identity_complete,
    .field = "spec.identity",
};

extern constexpr Rule kJobLimitsRule{
    .id = "ckpt.job.limits",
    .kinds = kinds::kCheckpoints,
    .function = &job_limits,
    .field = "spec.job",
};

extern constexpr Rule kJobPodRule{
    .id = "ckpt.job.pod",
    .kinds = kinds::kCheckpoints,
    .function = &job_pod,
    .field = "spec.job.podTemplateSpec.spec.containers",
};

}  // namespace dynamo::validators::checkpoint

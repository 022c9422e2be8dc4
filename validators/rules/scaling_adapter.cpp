// Rules for a DynamoGraphDeploymentScalingAdapter.
#include <string>

#include "api/operator_account.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::scaling_adapter {

using api::Context;
using api::ErrorType;
using api::FieldPath;
using api::ScalingAdapter;

namespace {
constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kReference = kSpec.child("dgdRef");

void reference_immutable(const Context& context, const ScalingAdapter& now,
                         const ScalingAdapter* old, Report& report) {
  if (old == nullptr || json::equal(old->graph_reference(), now.graph_reference())) return;
  // The operator itself renames the service of a stale adapter.
  if (can_scale(context)) return;
  report.add(ErrorType::kForbidden, kReference,
             "must not change after creation: the controller follows at once, and scales the other "
             "service to the replicas of this adapter; create another adapter for it");
}

void reference_name(const Context&, const ScalingAdapter& now, const ScalingAdapter*,
                    Report& report) {
  if (!now.graph_reference()["name"].string_or_empty().empty()) return;
  report.add(ErrorType::kRequired, kReference.child("name"),
             "must be the name of a DynamoGraphDeployment in the same namespace");
}

void reference_service(const Context&, const ScalingAdapter& now, const ScalingAdapter*,
                       Report& report) {
  if (!now.graph_reference()["serviceName"].string_or_empty().empty()) return;
  report.add(ErrorType::kRequired, kReference.child("serviceName"),
             "must be the name of a service of that DynamoGraphDeployment");
}

void replicas_non_negative(const Context&, const ScalingAdapter& now, const ScalingAdapter*,
                           Report& report) {
  const auto replicas = now.spec()["replicas"].integer();
  if (!replicas || *replicas >= 0) return;
  report.add(ErrorType::kInvalid, kSpec.child("replicas"),
             "must be 0 or more; found " + std::to_string(*replicas));
}

}  // namespace

extern constexpr Rule kReferenceImmutableRule{
    .id = "dgdsa.ref.immutable",
    .kinds = kinds::kScalingAdapters,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &reference_immutable,
    .field = "spec.dgdRef",
};

extern constexpr Rule kReferenceNameRule{
    .id = "dgdsa.ref.name",
    .kinds = kinds::kScalingAdapters,
    .function = &reference_name,
    .field = "spec.dgdRef.name",
};

extern constexpr Rule kReferenceServiceRule{
    .id = "dgdsa.ref.service",
    .kinds = kinds::kScalingAdapters,
    .function = &reference_service,
    .field = "spec.dgdRef.serviceName",
};

extern constexpr Rule kReplicasNonNegativeRule{
    .id = "dgdsa.replicas.non-negative",
    .kinds = kinds::kScalingAdapters,
    .function = &replicas_non_negative,
    .field = "spec.replicas",
};

}  // namespace dynamo::validators::scaling_adapter

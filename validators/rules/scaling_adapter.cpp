#include "validators/rules/scaling_adapter.hpp"

#include <string>

#include "api/operator_account.hpp"

namespace dynamo::validators::scaling_adapter {

using api::ErrorType;
using api::FieldPath;

namespace {
constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kReference = kSpec.child("dgdRef");
}  // namespace

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

}  // namespace dynamo::validators::scaling_adapter

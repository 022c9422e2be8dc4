#include "validators/rules/scaling_adapter.hpp"

#include <string>

namespace dynamo::validators::scaling_adapter {

using api::ErrorType;
using api::FieldPath;

namespace {
constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kReference = kSpec.child("dgdRef");
}  // namespace

void reference_immutable(const Context&, const ScalingAdapter& now, const ScalingAdapter* old,
                         Report& report) {
  if (old == nullptr || json::equal(old->graph_reference(), now.graph_reference())) return;
  report.add(ErrorType::kForbidden, kReference,
             "must not change after creation; create another adapter for the other service");
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

// Rules for a DynamoGraphDeploymentScalingAdapter. The texts are in
// validators/texts/scaling_adapter.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::scaling_adapter {

using api::Context;
using api::ScalingAdapter;

void reference_immutable(const Context&, const ScalingAdapter& now, const ScalingAdapter* old,
                         Report&);
void reference_name(const Context&, const ScalingAdapter& now, const ScalingAdapter* old, Report&);
void reference_service(const Context&, const ScalingAdapter& now, const ScalingAdapter* old,
                       Report&);
void replicas_non_negative(const Context&, const ScalingAdapter& now, const ScalingAdapter* old,
                           Report&);

}  // namespace dynamo::validators::scaling_adapter

// Rules for a DynamoCheckpoint. The texts are in validators/texts/checkpoint.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::checkpoint {

using api::Checkpoint;
using api::Context;

void identity_immutable(const Context&, const Checkpoint& now, const Checkpoint* old, Report&);
void identity_complete(const Context&, const Checkpoint& now, const Checkpoint* old, Report&);
void job_pod(const Context&, const Checkpoint& now, const Checkpoint* old, Report&);
void job_limits(const Context&, const Checkpoint& now, const Checkpoint* old, Report&);

}  // namespace dynamo::validators::checkpoint

// Rules about the annotation that ignores findings.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::ignore {

// The rule ignore.unknown-rule, for all kinds. Without the annotation it costs one lookup.
void unknown_rule(const api::Context& context, const api::Object& now, const api::Object* old,
                  Report& report);

}  // namespace dynamo::validators::ignore

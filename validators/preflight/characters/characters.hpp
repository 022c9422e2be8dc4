// Characters in names and values that no reader sees, or takes for others: what is pasted from
// chats, web pages and word processors.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::characters {

// The rules text.invisible and text.lookalike, for all kinds: spec and labels. Annotations are
// prose. Both cost nothing for an object that is known to be ASCII.
void invisible(const api::Context& context, const api::Object& now, const api::Object* old,
               Report& report);
void lookalike(const api::Context& context, const api::Object& now, const api::Object* old,
               Report& report);

}  // namespace dynamo::validators::characters

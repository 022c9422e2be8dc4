// Characters in names and values that are invisible or easily confused with others. They come from
// text pasted from chats, web pages and word processors.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::characters {

// The rules text.invisible and text.lookalike, for all kinds: spec, labels, and
// the annotations of the operator. Other annotations of an object hold prose and the state of
// tools. For an object that is known to be plain both are free.
void invisible(const api::Context& context, const api::Object& now, const api::Object* old,
               Report& report);
void lookalike(const api::Context& context, const api::Object& now, const api::Object* old,
               Report& report);

}  // namespace dynamo::validators::characters

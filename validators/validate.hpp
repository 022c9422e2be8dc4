// Runs the rules of the catalogue over one object.
#pragma once

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/document.hpp"
#include "render/arena.hpp"
#include "validators/severities.hpp"

namespace dynamo::validators {

// Adds to `errors` what the rules for context.kind and context.operation say of `object`, in the
// order of the API's fields, services sorted by name, whatever the order of the text. `old` is the
// object before an update, absent otherwise. `severities` says what becomes of a rule that is
// broken, and which are not asked. Pure: no I/O, no clock, no state; safe to call from any thread.
// Memory that judging needs and keeps is taken from `arena`, which is reset here.
void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors, const Severities& severities, render::Arena& arena);

// The same with the catalogue's severities and memory of its own.
void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors);

}  // namespace dynamo::validators

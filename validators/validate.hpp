// Runs the rules of the catalog over one object.
#pragma once

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/document.hpp"
#include "render/document/arena.hpp"
#include "validators/severities.hpp"

namespace dynamo::validators {

// The object and the old one in v1beta1, which later operators render; absent if none does.
struct HubForms {
  json::Value object = {};
  json::Value old = {};
};

// Adds to `errors` the findings on `object` of the rules for context.kind and context.operation.
// The findings are in the order of the API's fields, with services sorted by name, regardless of
// the order in the text. `old` is the object before an update, otherwise absent. `severities` sets
// the severity of each rule; rules that are off do not run. Pure: no I/O, no clock, no state; safe
// to call from any thread. Memory is allocated from `arena`, which this function resets.
void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors, const Severities& severities, render::Arena& arena,
              const HubForms& hub = {});

// Uses the catalog's severities and its own arena.
void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors);

}  // namespace dynamo::validators

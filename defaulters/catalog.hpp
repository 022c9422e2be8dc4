// The catalogue of defaults: one row each. A default that is not in the table is not applied.
#pragma once

#include <span>
#include <string_view>

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters {

// Adds operations to the patch, or none. `old` is the graph before an update, else an absent value.
// It must be idempotent: applied to its own result it adds nothing. Pure, like a rule.
using DefaultFunction = void (*)(const api::Context&, const api::GraphDeployment& now,
                                 const api::GraphDeployment& old, json::PatchWriter&);

struct Default {
  std::string_view id;  // public and stable
  api::Kind kind;
  bool on_create;
  bool on_update;
  DefaultFunction function;
  std::string_view field;
  std::string_view summary;
};

std::span<const Default> catalog();

// Adds to `patch` what the defaults for context.kind and context.operation set on `object`; `old`
// is the object before an update, else absent.
void apply_defaults(const api::Context& context, json::Value object, json::Value old,
                    json::PatchWriter& patch);

}  // namespace dynamo::defaulters

// The catalog of defaults: one row each. Only defaults in this table are applied.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "json/patch.hpp"

namespace dynamo::defaulters {

// Adds operations to the patch, if any are needed. `old` is the object before an update, otherwise
// absent. It must be idempotent: applied to its own result it adds nothing. Pure, like a rule.
template <typename View>
using DefaultOn = void (*)(const api::Context&, const View& now, const View& old,
                           json::PatchWriter&);

// api::Object is for fields that every kind has.
using DefaultFunction = std::variant<DefaultOn<api::Object>, DefaultOn<api::GraphDeployment>,
                                     DefaultOn<api::ComponentDeployment>, DefaultOn<api::Model>,
                                     DefaultOn<api::GraphDeploymentRequest>,
                                     DefaultOn<api::Checkpoint>, DefaultOn<api::ScalingAdapter>>;

// Whether `function` reads objects of `kind`: as that kind or as api::Object. Add a new kind here
// and to DefaultFunction.
constexpr bool reads_kind(const DefaultFunction& function, api::Kind kind) {
  if (std::holds_alternative<DefaultOn<api::Object>>(function)) return true;
  switch (kind) {
    case api::Kind::kGraphDeployment:
      return std::holds_alternative<DefaultOn<api::GraphDeployment>>(function);
    case api::Kind::kComponentDeployment:
      return std::holds_alternative<DefaultOn<api::ComponentDeployment>>(function);
    case api::Kind::kModel:
      return std::holds_alternative<DefaultOn<api::Model>>(function);
    case api::Kind::kGraphDeploymentRequest:
      return std::holds_alternative<DefaultOn<api::GraphDeploymentRequest>>(function);
    case api::Kind::kCheckpoint:
      return std::holds_alternative<DefaultOn<api::Checkpoint>>(function);
    case api::Kind::kScalingAdapter:
      return std::holds_alternative<DefaultOn<api::ScalingAdapter>>(function);
  }
  return false;
}

// The description of a default.
struct DefaultInfo {
  std::string_view id;  // public and stable
  api::Kind kind;
  bool on_create;
  bool on_update;
  std::string_view field;
  std::string_view summary;
};

struct Default : DefaultInfo {
  DefaultFunction function;  // reads_kind(function, kind)
};

std::span<const Default> catalog();

// The defaults that only later operators set, which later_defaults.hpp applies. It applies those of
// catalog() to v1beta1 as well.
std::span<const DefaultInfo> later_catalog();

// Adds to `patch` the operations of the defaults for context.kind and context.operation on
// `object`. `old` is the object before an update, otherwise absent. Objects of v1beta1 get the
// defaults of later_defaults.hpp instead.
void apply_defaults(const api::Context& context, json::Value object, json::Value old,
                    json::PatchWriter& patch);

// The same with another table.
void apply_defaults(std::span<const Default> table, const api::Context& context, json::Value object,
                    json::Value old, json::PatchWriter& patch);

}  // namespace dynamo::defaulters

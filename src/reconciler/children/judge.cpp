#include "reconciler/children/judge.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "render/arena.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::reconciler {
namespace {

const validators::Severities& operators_severities() {
  static const validators::Severities severities = [] {
    validators::Severities made;
    const auto own = validators::operator_rules();
    for (const validators::Rule& rule : validators::catalog()) {
      const bool is_own = std::ranges::any_of(
          own, [&rule](const validators::Rule& other) { return other.id == rule.id; });
      if (!is_own) made.set(validators::index_of(rule), validators::Severity::kOff);
    }
    return made;
  }();
  return severities;
}

}  // namespace

std::vector<std::string> errors_of(api::Kind kind, json::Value object,
                                   std::string_view namespace_name, std::string_view name) {
  const api::Settings settings;
  const api::ClusterFacts facts;
  const api::Context context{.kind = kind,
                             .operation = api::Operation::kCreate,
                             .namespace_name = namespace_name,
                             .object_name = name,
                             .user = "operator",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = facts};
  api::ErrorList found;
  render::Arena arena;
  validators::validate(context, object, {}, found, operators_severities(), arena);
  std::vector<std::string> errors;
  for (const api::Error& error : found.errors()) {
    errors.push_back(error.field + ": " + error.message());
  }
  return errors;
}

}  // namespace dynamo::reconciler

#include "reconciler/children/judge.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "reconciler/validation/judge.hpp"
#include "render/arena.hpp"
#include "validators/catalog.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::reconciler {
namespace {

bool is_operators(std::string_view id) {
  return std::ranges::any_of(validators::operator_rules(),
                             [id](const validators::Rule& rule) { return rule.id == id; });
}

const validators::Severities& operators_severities() {
  static const validators::Severities severities = [] {
    validators::Severities made;
    for (const validators::Rule& rule : validators::catalog()) {
      if (!is_operators(rule.id)) made.set(validators::index_of(rule), validators::Severity::kOff);
    }
    return made;
  }();
  return severities;
}

std::vector<std::string> lines_of(const api::ErrorList& found) {
  std::vector<std::string> errors;
  for (const api::Error& error : found.errors()) {
    if (holds_up(error.rule)) errors.push_back(error.field + ": " + error.message());
  }
  return errors;
}

}  // namespace

bool holds_up(std::string_view rule) {
  if (is_operators(rule)) return true;
  const validators::Rule* const found = validators::find_rule(rule);
  return found != nullptr && validators::unbending_rules().test(validators::index_of(*found));
}

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
  return lines_of(found);
}

std::vector<std::string> OperatorsJudge::errors_of(api::Kind kind, const kube::Object& object,
                                                   const World& world) {
  // What the cluster serves is found out by whoever makes children, and waited for.
  const api::ClusterFacts unknown;
  const admission::Environment seen = world.environment();
  const admission::Environment environment{.settings = seen.settings,
                                           .facts = unknown,
                                           .leases = seen.leases,
                                           .now = seen.now,
                                           .policy = seen.policy};
  return lines_of(
      admitter_.admit(kind, validation::request_of(kind, object), environment).decision.findings);
}

}  // namespace dynamo::reconciler

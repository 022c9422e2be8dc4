#include "reconciler/verdict/operator_validator.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "reconciler/verdict/validator.hpp"
#include "render/document/arena.hpp"
#include "text/quoted.hpp"
#include "validators/catalog.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::size_t kMaxQuoted = 63;  // the maximum length of a namespace

bool is_operators(std::string_view id) {
  return std::ranges::any_of(validators::rule_group("operator"),
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
    if (blocks_controllers(error.rule)) errors.push_back(error.field + ": " + error.message());
  }
  // An omitted error may be one that blocks: the list is bounded, whatever the rules.
  if (errors.empty() && found.omitted_errors() > 0) {
    errors.push_back("spec: must not break so many rules that some errors are omitted; found " +
                     std::to_string(found.errors().size() + found.omitted_errors()) +
                     " errors; fix those that `kubectl dynamo validate` shows");
  }
  return errors;
}

}  // namespace

bool blocks_controllers(std::string_view rule) {
  if (is_operators(rule) || validators::limits_authors(rule)) return true;
  const validators::Rule* const found = validators::find_rule(rule);
  return found != nullptr && validators::protected_rules().test(validators::index_of(*found));
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

std::string exclusion_of(std::string_view namespace_name, const ClusterState& cluster_state) {
  if (std::ranges::count(cluster_state.excluded_namespaces, namespace_name) == 0) return {};
  return "metadata.namespace: must not be excluded by --excluded-namespaces; found " +
         text::quoted(namespace_name, kMaxQuoted) +
         ". Nothing is built there; create the object in another namespace";
}

std::vector<std::string> OperatorValidator::errors_of(api::Kind kind, const kube::Object& object,
                                                      const ClusterState& cluster_state) {
  if (std::string excluded = exclusion_of(object.namespace_name(), cluster_state);
      !excluded.empty()) {
    return {std::move(excluded)};
  }
  // Controllers that create objects discover the served APIs themselves, and wait for them.
  const api::ClusterFacts unknown;
  const admission::EvaluationInputs seen = cluster_state.evaluation_inputs();
  const api::Parameters own{.own_istio_gateway = cluster_state.istio_gateway,
                            .own_host_suffix = cluster_state.ingress_host_suffix};
  const admission::EvaluationInputs inputs{.settings = seen.settings,
                                           .facts = unknown,
                                           .leases = seen.leases,
                                           .now = seen.now,
                                           .policy = seen.policy,
                                           .default_parameters = &own,
                                           .is_stored = true};
  return lines_of(
      request_evaluator_.evaluate_both(kind, validation::request_of(kind, object), inputs)
          .decision.findings);
}

}  // namespace dynamo::reconciler

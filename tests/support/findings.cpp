#include "tests/support/findings.hpp"

#include <ostream>

#include "api/kinds/objects.hpp"
#include "render/document/arena.hpp"
#include "validators/catalog.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::test {

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << api::cause_reason(finding.type) << " " << finding.field << " [" << finding.rule
             << "]";
}

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.field << " [" << place.rule << "]";
}

std::vector<Finding> errors_of(const api::ErrorList& list) {
  std::vector<Finding> findings;
  for (const api::Error& error : list.errors()) {
    findings.push_back({error.type, error.field, std::string(error.rule)});
  }
  return findings;
}

std::vector<Place> warnings_of(const api::ErrorList& list) {
  std::vector<Place> places;
  for (const api::Warning& warning : list.warnings()) {
    places.push_back({warning.field, std::string(warning.rule)});
  }
  return places;
}

std::vector<Place> places_of(const api::ErrorList& list) {
  std::vector<Place> places;
  for (const api::Error& error : list.errors()) {
    places.push_back({error.field, std::string(error.rule)});
  }
  return places;
}

api::ErrorList evaluate_rules(const EvaluationInputs& inputs, json::Value object, json::Value old) {
  const api::ObjectMeta metadata = api::Object{object}.metadata();
  const api::Context context{
      .kind = inputs.kind,
      .operation = old.exists() ? api::Operation::kUpdate : api::Operation::kCreate,
      .namespace_name = metadata.namespace_name(),
      .object_name = metadata.name(),
      .user = inputs.user,
      .sub_resource = {},
      .settings = inputs.settings,
      .facts = inputs.facts,
      .parameters = &inputs.parameters,
      .objects = inputs.objects};
  validators::Severities severities = validators::default_severities();
  const validators::Rule* const rule = validators::find_rule(inputs.switched_on);
  if (rule != nullptr && rule->severity == validators::Severity::kOff) {
    severities.set(validators::index_of(*rule), validators::Severity::kWarn);
  }
  api::ErrorList errors;
  render::Arena arena;
  validators::validate(context, object, old, errors, severities, arena);
  return errors;
}

}  // namespace dynamo::test

#include "tests/support/findings.hpp"

#include <memory>
#include <ostream>

#include "api/kinds/objects.hpp"
#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "render/document/arena.hpp"
#include "validators/catalog.hpp"
#include "validators/hub/validate.hpp"
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

namespace {

api::Context context_of(const EvaluationInputs& inputs, json::Value object, json::Value old) {
  const api::ObjectMeta metadata = api::Object{object}.metadata();
  return {.kind = inputs.kind,
          .operation = old.exists() ? api::Operation::kUpdate : api::Operation::kCreate,
          .namespace_name = metadata.namespace_name(),
          .object_name = metadata.name(),
          .user = inputs.user,
          .sub_resource = {},
          .settings = inputs.settings,
          .facts = inputs.facts,
          .parameters = &inputs.parameters,
          .objects = inputs.objects};
}

// An object in both versions.
class BothVersions {
 public:
  explicit BothVersions(json::Value object) {
    if (!object.exists()) return;
    const bool is_alpha = object["apiVersion"].string_or_empty() == "nvidia.com/v1alpha1";
    if (!conversion::has_two_versions(object["kind"].string_or_empty())) {
      hub_ = object;
      return;
    }
    (is_alpha ? alpha_ : hub_) = object;
    std::string text;
    const auto target = is_alpha ? conversion::Version::kV1beta1 : conversion::Version::kV1alpha1;
    if (conversion::Converter{}.convert(object, target, text)) return;
    converted_ = json::parse_copy(text);
    if (converted_ != nullptr) (is_alpha ? hub_ : alpha_) = converted_->root();
  }
  json::Value hub() const { return hub_; }
  json::Value alpha() const { return alpha_; }

 private:
  std::unique_ptr<json::ParsedText> converted_;
  json::Value hub_;
  json::Value alpha_;
};

}  // namespace

api::ErrorList evaluate_hub_rules(const EvaluationInputs& inputs, json::Value object,
                                  json::Value old) {
  const api::Context context = context_of(inputs, object, old);
  const BothVersions now{object};
  const BothVersions before{old};
  api::ErrorList errors;
  validators::hub::validate(
      {.context = context,
       .object = now.hub(),
       .old = before.hub(),
       .alpha = now.alpha(),
       .old_alpha = before.alpha(),
       .is_alpha_request = now.alpha().exists() && now.alpha().node() == object.node()},
      errors);
  return errors;
}

api::ErrorList evaluate_rules(const EvaluationInputs& inputs, json::Value object, json::Value old) {
  const api::Context context = context_of(inputs, object, old);
  validators::Severities severities = validators::default_severities();
  const validators::Rule* const rule = validators::find_rule(inputs.switched_on);
  if (rule != nullptr && rule->severity == validators::Severity::kOff) {
    severities.set(validators::index_of(*rule), validators::Severity::kWarn);
  }
  if (inputs.has_all_rules) {
    for (const validators::Rule& each : validators::catalog()) {
      if (each.severity != validators::Severity::kOff) continue;
      severities.set(validators::index_of(each), validators::Severity::kWarn);
    }
  }
  const bool is_later = inputs.facts.operator_generation == api::OperatorGeneration::kLater;
  const BothVersions now{is_later ? object : json::Value{}};
  const BothVersions before{is_later ? old : json::Value{}};
  api::ErrorList errors;
  render::Arena arena;
  validators::validate(context, object, old, errors, severities, arena,
                       {.object = now.hub(), .old = before.hub()});
  return errors;
}

}  // namespace dynamo::test

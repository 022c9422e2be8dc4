#include "reconciler/verdict/validator.hpp"

#include "admission/answer.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "validators/catalog.hpp"

namespace dynamo::reconciler::validation {
namespace {

// This rule depends on the user who changes replicas, which is unknown for a stored object.
constexpr std::string_view kAboutUsers = "dgd.replicas.scaled-elsewhere";

bool is_about_changes(std::string_view id) {
  const validators::Rule* const rule = validators::find_rule(id);
  return rule != nullptr && !rule->operations.has(api::Operation::kCreate) && id != kAboutUsers;
}

std::string object_before(const kube::Object& object, std::string_view spec) {
  const json::Value root = object.root();
  std::string text;
  json::Writer writer(text);
  writer.start_object().member("apiVersion", api::kApiVersion);
  writer.member("kind", root["kind"].string_or_empty());
  writer.key("metadata").start_object().member("name", object.name());
  writer.member("namespace", object.namespace_name()).end_object();
  writer.key("spec").raw(spec);
  if (root["status"].exists()) writer.key("status").value(root["status"]);
  writer.end_object();
  return text;
}

ValidationResult verdict_of(api::Kind kind, const kube::Object& object,
                            const api::ErrorList& findings) {
  ValidationResult verdict;
  verdict.rules = admission::rule_ids(findings);
  if (findings.has_errors()) {
    verdict.message = admission::denial_message(kind, object.name(), findings);
  }
  return verdict;
}

}  // namespace

api::AdmissionRequest request_of(api::Kind kind, const kube::Object& object) {
  return {.kind = {api::kGroup, api::kVersion, api::names(kind).name},
          .name = object.name(),
          .namespace_name = object.namespace_name(),
          .operation = api::Operation::kCreate,
          .dry_run = true,
          .already_stored = true,
          .object = object.root()};
}

ValidationResult StoredObjectValidator::validate(api::Kind kind, const kube::Object& object,
                                                 const admission::EvaluationInputs& inputs) {
  const admission::Admission admission =
      request_evaluator_.evaluate_both(kind, request_of(kind, object), inputs);
  ValidationResult verdict = verdict_of(kind, object, admission.decision.findings);
  verdict.exemption = admission.decision.exemption;
  return verdict;
}

ValidationResult StoredObjectValidator::validate_change(api::Kind kind, const kube::Object& object,
                                                        std::string_view before,
                                                        const admission::EvaluationInputs& inputs) {
  const auto old = json::parse_copy(object_before(object, before));
  if (old->error) return {};
  api::AdmissionRequest request = request_of(kind, object);
  request.operation = api::Operation::kUpdate;
  request.old_object = old->root();
  const admission::Admission admission = request_evaluator_.evaluate_both(kind, request, inputs);
  api::ErrorList changes;
  for (const api::Error& error : admission.decision.findings.errors()) {
    if (is_about_changes(error.rule)) changes.add(error);
  }
  return verdict_of(kind, object, changes);
}

}  // namespace dynamo::reconciler::validation

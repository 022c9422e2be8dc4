#include "cli/check/validator.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/settings.hpp"
#include "cli/check/applied.hpp"
#include "cli/check/finding_filter.hpp"
#include "cli/check/image_field.hpp"
#include "cli/input/policy_text.hpp"
#include "cli/report/wording.hpp"
#include "json/patch.hpp"
#include "runtime/clock.hpp"
#include "schema/check_ids.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {
namespace {

// Rules about a member's name, not its value.
bool is_about_the_name(std::string_view rule) {
  return rule == "schema.unknown-field" || rule == "schema.duplicate-field";
}

std::string_view operation_of(json::Value old_object) {
  return name(old_object.exists() ? api::Operation::kUpdate : api::Operation::kCreate);
}

std::optional<EvaluationOptionsFault> read_policy_file(const std::string& name,
                                                       std::optional<admission::Policy>& policy) {
  std::string shown;
  append_printable(shown, name);
  std::istringstream nothing;
  const auto text = read_policy_text(name, nothing);
  if (const auto* const fault = std::get_if<ReadFault>(&text)) {
    return EvaluationOptionsFault{"--policy " + shown + ": " + fault->reason};
  }
  admission::ReadPolicy result = admission::read_policy(std::get<std::string>(text));
  policy = std::move(result.policy);
  if (policy) return std::nullopt;
  return EvaluationOptionsFault{admission::describe_errors("--policy " + shown, result.errors)};
}

api::ClusterFacts facts_of(const Options& options) {
  api::ClusterFacts facts;
  facts.inference_pool_served = options.inference_pool;
  facts.grove_served = options.pathway.grove_served;
  facts.leader_worker_set_served = options.pathway.leader_worker_set_served;
  facts.kubernetes_discovery = options.discovery_backend;
  facts.operator_generation = options.operator_generation;
  facts.operator_replaced = options.operator_replaced;
  for (const api::Kind kind : options.unserved_kinds) {
    if (kind == api::Kind::kGraphDeploymentRequest) facts.requests_unserved = true;
    if (kind == api::Kind::kCheckpoint) facts.checkpoints_unserved = true;
  }
  facts.kubernetes_minor = options.kubernetes_minor;
  facts.gpu_discovery = options.operator_gpu_discovery;
  facts.checkpoints_enabled = options.operator_checkpoints;
  return facts;
}

// The CEL rule about a whole claim, and the rules about each of its missing fields.
constexpr std::string_view kWholeClaim = "schema.cel.claim-creation";
constexpr std::string_view kFieldsOfClaims = "dgd.pvc.create.";

// The known field that the author of an unknown field probably intended; empty if there is none.
std::string suggested_field(const Finding& finding) {
  constexpr std::string_view kMeant = "did you mean \"";
  const std::size_t at = finding.detail.rfind(kMeant);
  const std::size_t dot = finding.field.rfind('.');
  if (finding.rule != schema::ids::kUnknownField || at == std::string::npos ||
      dot == std::string::npos) {
    return {};
  }
  const std::size_t begin = at + kMeant.size();
  const std::string suggestion =
      finding.detail.substr(begin, finding.detail.find('"', begin) - begin);
  // For a field in a wrong place the suggestion is a whole path.
  return suggestion.find('.') == std::string::npos ? finding.field.substr(0, dot + 1) + suggestion
                                                   : suggestion;
}

bool is_at_or_below(std::string_view field, std::string_view above) {
  if (above.empty() || !field.starts_with(above)) return false;
  field.remove_prefix(above.size());
  return field.empty() || field.front() == '.' || field.front() == '[';
}

bool is_there(json::Value object, std::string_view field) {
  while (!field.empty()) {
    const auto step = go_towards(object, field);
    if (!step) return false;
    object = step->value;
  }
  return true;
}

// Whether a finding is about a field that the error names as equal in two items of a list.
bool is_of_the_same_items(const Finding& finding, const Finding& error) {
  const bool is_duplicate = finding.type == api::phrase(api::ErrorType::kDuplicate) ||
                            finding.detail.starts_with("must be unique");
  std::string_view field = finding.field;
  if (error.rule != schema::ids::kDuplicateItem || !is_duplicate ||
      !is_at_or_below(field, error.field) || field.size() == error.field.size()) {
    return false;
  }
  field.remove_prefix(error.field.size() + 1);
  // "… in its topologyKey and whenUnsatisfiable; [0] has the same".
  constexpr std::string_view kIn = " in its ";
  const std::size_t at = error.detail.find(kIn);
  if (at == std::string::npos) return false;
  const std::size_t begin = at + kIn.size() - 1;
  const std::string keys = error.detail.substr(begin, error.detail.find(';', begin) - begin) + ' ';
  return keys.find(' ' + std::string(field) + ' ') != std::string::npos;
}

// Whether an error explains a finding's mistake better. An immutable field is an error and, like in
// the operator, also a warning. Missing fields of a claim have their own findings, and so do equal
// items of a list. A missing field may be present under a misspelt name: `suggestion`.
bool reports_better(const Finding& error, const Finding& finding, std::string_view suggestion) {
  if (finding.level == Level::kWarning && finding.rule.ends_with(".immutable")) {
    return error.rule == finding.rule && error.field == finding.field;
  }
  if (finding.rule == kWholeClaim && error.rule.starts_with(kFieldsOfClaims)) {
    return error.field.starts_with(finding.field + '.');
  }
  return is_of_the_same_items(finding, error) || is_at_or_below(finding.field, suggestion);
}

// Reports each mistake once.
void mark_reported_better(std::vector<Finding>& findings, json::Value written) {
  for (const Finding& error : findings) {
    if (error.level != Level::kError) continue;
    std::string suggestion = suggested_field(error);
    if (is_there(written, suggestion)) suggestion.clear();
    for (Finding& finding : findings) {
      if (&finding == &error || !reports_better(error, finding, suggestion)) continue;
      finding.reported_by = error.rule;
      finding.reported_at = error.field;
    }
  }
}

}  // namespace

std::variant<EvaluationOptions, EvaluationOptionsFault> read_evaluation_options(
    const Options& options) {
  EvaluationOptions evaluation_options;
  // A version invented here would look as if it came from a cluster; a replay answers like a
  // server.
  if (!options.operator_version.empty() || options.command == Command::kReplay) {
    evaluation_options.settings.operator_version =
        admission::stamped_version(options.operator_version);
  }
  evaluation_options.settings.operator_service_account = options.operator_service_account;
  evaluation_options.settings.restricted_namespace = options.namespace_scope;
  evaluation_options.settings.default_request_image = options.dgdr_default_image;
  evaluation_options.facts = facts_of(options);
  evaluation_options.now = options.now ? *options.now : runtime::SystemClock().wall();
  evaluation_options.user = options.user;
  evaluation_options.namespace_name = options.namespace_name;
  if (!options.policy_file.empty()) {
    if (auto fault = read_policy_file(options.policy_file, evaluation_options.policy)) {
      return *std::move(fault);
    }
  }
  return evaluation_options;
}

admission::EvaluationInputs evaluation_inputs(const EvaluationOptions& evaluation_options,
                                              const admission::NamespaceLeases& leases) {
  return {.settings = evaluation_options.settings,
          .facts = evaluation_options.facts,
          .leases = leases,
          .now = evaluation_options.now,
          .policy = evaluation_options.policy ? &*evaluation_options.policy : nullptr};
}

void append_findings(const api::ErrorList& findings, ObjectReport& report) {
  for (const api::Error& error : findings.errors()) {
    report.findings.push_back({Level::kError,
                               error.rule,
                               error.field,
                               std::string(api::phrase(error.type)),
                               error.detail,
                               {}});
  }
  for (const api::Warning& warning : findings.warnings()) {
    report.findings.push_back(
        {Level::kWarning, warning.rule, warning.field, {}, warning.detail, {}});
  }
  report.omitted_findings = findings.omitted_errors() + findings.omitted_warnings();
  report.omitted_errors = findings.omitted_errors();
}

ManifestValidator::ManifestValidator(const EvaluationOptions& evaluation_options,
                                     const OldObjects* old_objects)
    : evaluation_options_(evaluation_options),
      old_objects_(old_objects),
      inputs_(evaluation_inputs(evaluation_options, leases_)) {
  inputs_.caller_applies_ignores = true;  // FindingFilter removes and counts them
}

ObjectReport ManifestValidator::validate(const Manifest& manifest, std::string_view file) {
  const json::Value old_object = find_old(manifest, file);
  // Both generations of operators have v1alpha1.
  const schema::Resource* const resource =
      schema::find_resource(manifest.resource.kind, manifest.resource.api_version,
                            evaluation_options_.facts.operator_generation);
  assert(resource != nullptr && "the later generation has every version");
  admission::DryRunRequest request{*resource, apply(manifest.object, old_object), old_object,
                                   evaluation_options_.namespace_name};
  if (evaluation_options_.user) request.user = *evaluation_options_.user;
  request.already_stored = evaluation_options_.already_stored;
  const admission::DryRunResult& result = dry_run_.run(request, inputs_);
  stored_ = result.stored;

  const json::Value metadata = manifest.object["metadata"];
  ObjectReport report;
  report.file = file;
  report.place = manifest.locator.of(manifest.written);
  // If other text precedes it on its line, its column must count that text in characters.
  if (report.place.column > 1) report.place = manifest.locator.of(manifest.written, {}, false);
  report.kind = manifest.resource.kind;
  report.namespace_name = metadata["namespace"].string_or_empty();
  report.name = metadata["name"].string_or_empty();
  if (report.name.empty() && metadata["generateName"].is_string()) {
    report.name = std::string(metadata["generateName"].string_or_empty()) + '*';
  }
  report.operation = operation_of(old_object);
  report.ignore = ignore_request_of(metadata);
  if (!report.ignore.rules.empty()) {
    const std::string field = "metadata.annotations[" + std::string(kIgnoreAnnotation) + "]";
    report.ignore.place = manifest.locator.of(manifest.written, field, true);
  }
  if (result.exemption != admission::Exemption::kNone) report.exemption = name(result.exemption);
  append_findings(result.findings, report);
  mark_reported_better(report.findings, manifest.written);
  for (Finding& finding : report.findings) {
    finding.place =
        manifest.locator.of(manifest.written, field_to_show(manifest.written, finding.field),
                            is_about_the_name(finding.rule));
  }
  return report;
}

json::Value ManifestValidator::apply(json::Value manifest, json::Value old_object) {
  if (!is_stored_object(old_object)) return manifest;
  if (!evaluation_options_.applies) return keep_provider(manifest, old_object);
  applied_text_ = applied_to(manifest, old_object);
  const std::size_t size = applied_text_.size();
  applied_text_.append(json::kParsePadding, '\0');
  [[maybe_unused]] const auto error =
      parser_.parse(std::span(applied_text_).first(size), {}, applied_document_);
  assert(!error && "a merge is JSON that we wrote");
  return applied_document_.root();
}

json::Value ManifestValidator::keep_provider(json::Value manifest, json::Value old_object) {
  applied_text_ = provider_kept_by_apply(manifest, old_object);
  if (applied_text_.empty()) return manifest;
  const std::size_t size = applied_text_.size();
  applied_text_.append(json::kParsePadding, '\0');
  [[maybe_unused]] const auto error =
      parser_.parse(std::span(applied_text_).first(size), {}, provider_document_);
  assert(!error && "a patch is JSON that we wrote");
  const auto failure = json::apply_patch(manifest, provider_document_.root(), applied_document_);
  assert(!failure && "the patch adds one annotation");
  return failure ? manifest : applied_document_.root();
}

json::Value ManifestValidator::find_old(const Manifest& manifest, std::string_view file) {
  uncertainty_.clear();
  if (old_objects_ == nullptr) return {};
  if (input_name_ != file) {
    input_name_ = file;
    input_path_ = old_objects_->path_of(file);
  }
  const json::Value metadata = manifest.object["metadata"];
  const std::string_view given = metadata["namespace"].string_or_empty();
  OldObject old = old_objects_->find(
      {manifest.resource.kind, given.empty() ? evaluation_options_.namespace_name : given,
       metadata["name"].string_or_empty()},
      input_path_);
  uncertainty_ = std::move(old.uncertainty);
  if (old.json_text == nullptr) return {};
  old_text_.assign(*old.json_text);
  old_text_.append(json::kParsePadding, '\0');
  [[maybe_unused]] const auto error =
      parser_.parse(std::span(old_text_).first(old.json_text->size()), {}, old_document_);
  assert(!error && "old objects are kept as JSON that we wrote");
  return in_version_of(manifest, old_document_.root());
}

json::Value ManifestValidator::in_version_of(const Manifest& manifest, json::Value old_object) {
  const auto version = conversion::parse_api_version(manifest.resource.api_version);
  const std::string_view old_version = old_object["apiVersion"].string_or_empty();
  if (!version || old_version == manifest.resource.api_version) return old_object;
  converted_text_.clear();
  if (const auto reason = converter_.convert(old_object, *version, converted_text_)) {
    uncertainty_ = "the old object has another API version, and " + *reason;
    return {};
  }
  const std::size_t size = converted_text_.size();
  converted_text_.append(json::kParsePadding, '\0');
  [[maybe_unused]] const auto error =
      parser_.parse(std::span(converted_text_).first(size), {}, converted_document_);
  assert(!error && "a conversion is JSON that we wrote");
  return converted_document_.root();
}

}  // namespace dynamo::cli

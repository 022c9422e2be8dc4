#include "admission/dry_run.hpp"

#include <algorithm>
#include <string>

#include "admission/repeated_findings.hpp"
#include "admission/request_evaluator.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "api/kinds/objects.hpp"
#include "conversion/convert.hpp"
#include "schema/catalog.hpp"
#include "schema/check_ids.hpp"
#include "schema/complete.hpp"
#include "schema/table.hpp"
#include "schema/validate.hpp"
#include "validators/operator_profile.hpp"

namespace dynamo::admission {
namespace {

schema::FieldValidation field_validation(const DryRunRequest& request,
                                         const EvaluationInputs& inputs) {
  using enum schema::UnknownFields;
  // The later generation's own schemas have these fields.
  const bool of_first = &request.resource == schema::find_resource(request.resource.kind);
  const bool newer = of_first && validators::can_have_newer_fields(inputs.facts);
  const schema::UnknownFields given = request.strict ? kDeny : kWarn;
  return {.unknown = newer ? kNewer : given, .duplicates_deny = request.strict};
}

// Whether the defaulted object shows the error again, unless a default fixed it. complete() drops
// some metadata, and the defaults change none that the schema checks.
bool is_of_defaulted(const api::Error& error) {
  const schema::CheckText* const check = schema::find_check(error.rule);
  const bool is_of_schema = check != nullptr && check->stage == schema::Stage::kSchema;
  return is_of_schema && error.field.starts_with("spec");
}

bool is_unknown_field(const api::Error& error) {
  return error.rule == schema::ids::kUnknownField;
}

api::Version api_version_of(const schema::Resource& resource) {
  return conversion::parse_api_version(resource.api_version).value_or(api::Version::kV1alpha1);
}

}  // namespace

class DryRun::Impl {
 public:
  const DryRunResult& run(const DryRunRequest& request, const EvaluationInputs& inputs) {
    result_.exemption = Exemption::kNone;
    result_.findings.clear();
    result_.stored = {};
    version_ = api_version_of(request.resource);
    apply_schema(request, inputs);
    if (request.object.is_object()) apply_rules(request, inputs);
    drop_explained_cel_errors(result_.findings);
    result_.findings.sort_by_field();
    return result_;
  }

 private:
  void apply_schema(const DryRunRequest& request, const EvaluationInputs& inputs) {
    schema::validate(request.resource, request.object, request.old_object, result_.findings,
                     field_validation(request, inputs));
    if (!request.object.is_object()) return;
    if (std::ranges::any_of(result_.findings.errors(), is_unknown_field)) {
      admit_newer_fields(request, inputs);
    }
    schema::complete(request.resource, request.object,
                     request.already_stored ? request.object : request.old_object, completed_);
    result_.stored = completed_.root();
  }

  // While the generation is unknown, a field that later operators know only warns.
  void admit_newer_fields(const DryRunRequest& request, const EvaluationInputs& inputs) {
    if (!validators::can_serve_v1beta1(inputs.facts)) return;
    const schema::Resource* const later =
        schema::find_resource(request.resource.kind, request.resource.api_version,
                              validators::with_later_operator(inputs.facts).operator_generation);
    if (later == nullptr || later == &request.resource) return;
    other_.clear();
    schema::validate(*later, request.object, request.old_object, other_, {});
    if (other_.omitted_errors() > 0) return;
    result_.findings.drop_errors_from(0, [&](const api::Error& error) {
      const bool is_newer = is_unknown_field(error) &&
                            std::ranges::none_of(other_.errors(), [&](const api::Error& unknown) {
                              return is_unknown_field(unknown) && unknown.field == error.field;
                            });
      if (!is_newer) return false;
      result_.findings.warn({error.field,
                             "is known to later operators only; an operator of the first "
                             "generation drops it",
                             error.rule});
      return true;
    });
  }

  // API servers validate the object that the mutating webhooks return: before them, they only
  // decode. The name of a component is the only default that can be invalid.
  void validate_defaulted(const DryRunRequest& request, api::Kind kind) {
    const api::ErrorList& findings = result_.findings;
    if (findings.omitted_errors() > 0) return;
    if (!findings.has_errors() && kind != api::Kind::kComponentDeployment) return;
    other_.clear();
    schema::validate(request.resource, result_.stored, request.old_object, other_, {});
    result_.findings.drop_errors_from(0, is_of_defaulted);
    for (const api::Error& error : other_.errors()) {
      if (is_of_defaulted(error)) result_.findings.add(error);
    }
    result_.findings.omit_errors(other_.omitted_errors());
  }

  void apply_rules(const DryRunRequest& request, const EvaluationInputs& inputs) {
    const auto kind = find_kind(request.resource.kind);
    if (!kind) return;
    const Admission admission = request_evaluator_.evaluate_both(*kind, review_of(request), inputs);
    // Defaults of a creation do not apply to an object of v1beta1 that is stored already.
    const bool is_as_stored = request.already_stored && version_ == api::Version::kV1beta1;
    if (!is_as_stored) result_.stored = admission.object;
    if (!is_as_stored && !admission.patch.empty()) validate_defaulted(request, *kind);
    result_.exemption = admission.decision.exemption;
    add_all(admission.decision.findings);
  }

  void add_all(const api::ErrorList& findings) {
    for (const api::Error& error : findings.errors()) add(error);
    for (const api::Warning& warning : findings.warnings()) add(warning);
    result_.findings.omit_errors(findings.omitted_errors());
    result_.findings.omit_warnings(findings.omitted_warnings());
  }

  // Drops a rule's finding on a mistake that another finding reports.
  void add(const api::Error& error) {
    if (!is_reported(error)) result_.findings.add(error);
  }
  void add(const api::Warning& warning) {
    if (!is_reported(warning)) result_.findings.warn(warning);
  }

  template <typename Finding>
  bool is_reported(const Finding& finding) const {
    return std::ranges::any_of(result_.findings.errors(), [&finding](const api::Error& known) {
      return is_explained(finding, known);
    });
  }

  api::AdmissionRequest review_of(const DryRunRequest& request) const {
    const api::ObjectMeta metadata = api::Object{result_.stored}.metadata();
    const std::string_view given = metadata.namespace_name();
    return {.kind = {api::kGroup, api::name(version_), request.resource.kind},
            .name = metadata.name(),
            .namespace_name = given.empty() ? request.default_namespace : given,
            .operation =
                request.old_object.exists() ? api::Operation::kUpdate : api::Operation::kCreate,
            .user = request.user,
            .dry_run = true,
            .is_manifest = true,
            .already_stored = request.already_stored,
            .object = result_.stored,
            .old_object = request.old_object};
  }

  api::Version version_ = api::Version::kV1alpha1;
  json::Document completed_;
  RequestEvaluator request_evaluator_;
  api::ErrorList other_;  // of a second schema or a second object
  DryRunResult result_;
};

DryRun::DryRun() : impl_(std::make_unique<Impl>()) {}
DryRun::~DryRun() = default;
DryRun::DryRun(DryRun&&) noexcept = default;
DryRun& DryRun::operator=(DryRun&&) noexcept = default;

const DryRunResult& DryRun::run(const DryRunRequest& request, const EvaluationInputs& inputs) {
  return impl_->run(request, inputs);
}

}  // namespace dynamo::admission

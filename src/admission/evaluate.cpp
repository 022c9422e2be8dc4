#include "admission/evaluate.hpp"

#include <algorithm>

#include "admission/ignores.hpp"
#include "api/kinds/objects.hpp"
#include "api/operator_account.hpp"
#include "defaulters/catalog.hpp"
#include "text/timestamp.hpp"
#include "validators/catalog.hpp"
#include "validators/operator_profile.hpp"
#include "validators/validate.hpp"

namespace dynamo::admission {
namespace {

bool belongs_to_another_operator(const api::AdmissionRequest& request,
                                 const EvaluationInputs& inputs, Decision& decision) {
  const auto lease = inputs.leases.find(request.namespace_name);
  if (!lease) return false;
  const bool live = is_live(*lease, inputs.now);
  decision.lease_end = live ? end_of(*lease) : left_unvalidated_until(*lease, inputs.now);
  decision.lease_holder = lease->holder;
  return live;
}

// Whether an expired Lease may have let the stored object pass without validation (ADR 18): the
// object is not younger than the Lease's end. Updates that keep the spec are excluded, because
// controllers write finalizers and annotations. So are updates by the operator, whose objects are
// validated with their graph.
bool can_never_have_been_validated(const api::AdmissionRequest& request,
                                   const EvaluationInputs& inputs, const Decision& decision) {
  if (!decision.lease_end || request.operation != api::Operation::kUpdate) return false;
  const auto created =
      text::parse_timestamp(request.old_object["metadata"]["creationTimestamp"].string_or_empty());
  if (created && *created >= *decision.lease_end) return false;
  return !api::can_be_operator(request.user, inputs.settings) &&
         !json::equal(request.object["spec"], request.old_object["spec"]);
}

// Whether an update of an object that is being deleted keeps its spec. Its finalizers must be
// removable regardless of the rules.
bool is_terminating_unchanged(const api::AdmissionRequest& request) {
  const json::Value marked = request.is_manifest ? request.old_object : request.object;
  return api::Object{marked}.metadata().is_terminating() &&
         json::equal(request.object["spec"], request.old_object["spec"]);
}

// The namespace Lease and the other reasons to skip validation, cheapest first.
Exemption find_exemption(const api::AdmissionRequest& request, const EvaluationInputs& inputs,
                         Decision& decision) {
  if (request.operation != api::Operation::kCreate &&
      request.operation != api::Operation::kUpdate) {
    return Exemption::kOperation;
  }
  if (!request.sub_resource.empty()) return Exemption::kSubResource;
  if (inputs.settings.is_namespace_restricted()) {
    // Such a server validates only objects in its namespace, all of them.
    if (request.namespace_name != inputs.settings.restricted_namespace) {
      return Exemption::kOtherNamespace;
    }
  } else if (belongs_to_another_operator(request, inputs, decision)) {
    return Exemption::kNamespaceLease;
  }
  if (request.operation == api::Operation::kUpdate && is_terminating_unchanged(request)) {
    return Exemption::kTerminating;
  }
  return Exemption::kNone;
}

// Whether a later operator reconciles the object.
bool has_later_operator(const api::AdmissionRequest& request, const api::ClusterFacts& facts) {
  // The API server may have converted the object of a v1beta1 client.
  return request.version() == api::Version::kV1beta1 || validators::can_have_newer_fields(facts) ||
         (request.client_version() == api::Version::kV1beta1 &&
          validators::can_serve_v1beta1(facts));
}

api::Context context_of(const Route& route, const api::AdmissionRequest& request,
                        const EvaluationInputs& inputs, const api::ClusterFacts& facts) {
  // Prefers the object's own name: request.name is empty on CREATE with generateName.
  const std::string_view object_name = api::Object{request.object}.metadata().name();
  return {.kind = route.kind,
          .operation = request.operation,
          .namespace_name = request.namespace_name,
          .object_name = object_name.empty() ? request.name : object_name,
          .user = request.user,
          .sub_resource = request.sub_resource,
          .dry_run = request.dry_run,
          .settings = inputs.settings,
          .facts = facts,
          .parameters = inputs.default_parameters,
          .objects = inputs.objects,
          .is_plain = request.is_plain,
          .version = request.version(),
          .has_later_operator = has_later_operator(request, facts)};
}

// The object before an update, otherwise an absent value.
json::Value old_of(const api::AdmissionRequest& request) {
  return request.operation == api::Operation::kUpdate ? request.old_object : json::Value{};
}

// The objects that rules read: as the request has them, or in both versions.
struct Subject {
  json::Value object;
  json::Value old;
  bool has_both_versions = false;
};

void run_rules(const api::Context& context, const Subject& subject,
               const validators::Severities& severities, Decision& decision) {
  if (subject.has_both_versions) [[unlikely]] {
    return decision.versions.validate(context, severities, decision.findings, decision.arena);
  }
  validators::validate(context, subject.object, subject.old, decision.findings, severities,
                       decision.arena);
}

// Objects that the operator creates from a graph were validated with the graph. Only a violation
// that the catalog and the policy for the graph also deny is denied here; otherwise the operator
// would retry forever.
void relax(validators::Severities& severities, const validators::Severities& for_graph) {
  severities.limit_to(for_graph);
  severities.limit_to(validators::default_severities());
}

// Exemptions of a policy for an object: by its own name, or by that of its graph.
class Exemptions {
 public:
  Exemptions(const Policy& policy, const PolicySubject& subject, const PolicySubject& graph,
             std::chrono::system_clock::time_point now)
      : policy_(policy), subject_(subject), graph_(graph), now_(now) {}

  // Null if no exemption covers that rule.
  const PolicyExemption* find(std::string_view rule) const {
    const PolicyExemption* exemption = policy_.find_exemption(subject_, rule, now_);
    if (exemption == nullptr && !graph_.name.empty()) {
      exemption = policy_.find_exemption(graph_, rule, now_);
    }
    return exemption;
  }

 private:
  const Policy& policy_;
  const PolicySubject& subject_;
  const PolicySubject& graph_;
  const std::chrono::system_clock::time_point now_;
};

// Removes the excused errors and returns them as warnings.
std::vector<api::Warning> take_excused(const Exemptions& exemptions, Decision& decision) {
  std::vector<api::Warning> excused;
  decision.findings.drop_errors_from(0, [&](const api::Error& error) {
    const PolicyExemption* exemption = exemptions.find(error.rule);
    if (exemption == nullptr) return false;
    excused.push_back(
        {error.field, "exempt, " + exemption->describe() + "; " + error.detail, error.rule, true});
    if (std::ranges::find(decision.used_exemptions, exemption) == decision.used_exemptions.end()) {
      decision.used_exemptions.push_back(exemption);
    }
    return true;
  });
  return excused;
}

std::size_t errors_in_all(const api::ErrorList& findings) {
  return findings.errors().size() + findings.omitted_errors();
}

// The name of the graph by which the policy addresses the object; "" for none.
std::string_view graph_of(const api::Context& context, const api::Object& object,
                          const EvaluationInputs& inputs) {
  if (!inputs.is_stored) return api::graph_behind(context, object);
  if (context.kind != api::Kind::kComponentDeployment) return {};
  return object.metadata().owner_name(api::names(api::Kind::kGraphDeployment).name);
}

void evaluate_policy(const api::Context& context, const Subject& evaluated,
                     const EvaluationInputs& inputs, Decision& decision) {
  const Policy& policy = *inputs.policy;
  const PolicySubject subject{context.kind, context.namespace_name, context.object_name};
  const PolicySubject graph{api::Kind::kGraphDeployment, context.namespace_name,
                            graph_of(context, api::Object{evaluated.object}, inputs)};
  validators::Severities storage;
  api::Context with_parameters = context;
  api::Parameters parameters;
  if (!policy.parameters().empty()) {
    const bool by_graph = inputs.is_stored && !graph.name.empty();
    parameters = policy.parameters_for(by_graph ? graph : subject,
                                       context.parameters ? *context.parameters : parameters);
    with_parameters.parameters = &parameters;
  }
  const validators::Severities* severities = &policy.severities_for(subject, storage);
  if (!graph.name.empty()) {
    validators::Severities of_graph;
    storage = *severities;
    relax(storage, policy.severities_for(graph, of_graph));
    severities = &storage;
  }
  api::ErrorList& findings = decision.findings;
  run_rules(with_parameters, evaluated, *severities, decision);
  if (!findings.has_errors() || policy.exemptions().empty()) return;
  const Exemptions exemptions{policy, subject, graph, inputs.now};
  std::vector<api::Warning> excused = take_excused(exemptions, decision);
  if (excused.empty()) return;
  if (findings.omitted_errors() > 0) {
    // Omitted errors may belong to any rule, so run the rules without an exemption again.
    const std::size_t unexcused = errors_in_all(findings);
    validators::Severities rest = *severities;
    for (std::size_t rule = 0; rule < validators::catalog().size(); ++rule) {
      if (exemptions.find(validators::catalog()[rule].id) == nullptr) continue;
      rest.set(rule, validators::Severity::kOff);
    }
    findings.clear();
    run_rules(with_parameters, evaluated, rest, decision);
    for (std::size_t i = errors_in_all(findings); i < unexcused; ++i) findings.omit_warning();
  }
  findings.warn_first(std::move(excused));
  findings.sort_by_field();
}

void validate(api::Context& context, const api::AdmissionRequest& request, const Subject& subject,
              const EvaluationInputs& inputs, Decision& decision) {
  decision.validated_in_full = can_never_have_been_validated(request, inputs, decision);
  context.is_ratcheted = !decision.validated_in_full;
  if (inputs.policy == nullptr) {
    return run_rules(context, subject, validators::default_severities(), decision);
  }
  evaluate_policy(context, subject, inputs, decision);
  const bool honoured = inputs.policy->honours_ignores() && !inputs.caller_applies_ignores;
  if (honoured) remove_ignored_findings(request.object, decision);
}

// Validates an object of a later operator, whose rules read v1beta1.
void validate_both_versions(const Route& route, const api::AdmissionRequest& request,
                            const EvaluationInputs& inputs, Decision& decision) {
  if (!decision.versions.convert(route.kind, request, decision.findings)) return;
  const api::ClusterFacts facts = validators::with_later_operator(inputs.facts);
  api::Context context = context_of(route, request, inputs, facts);
  validate(context, request, {request.object, old_of(request), true}, inputs, decision);
}

void add_defaults(const Route& route, const api::AdmissionRequest& request,
                  const EvaluationInputs& inputs, json::Value object, json::PatchWriter& patch) {
  api::Context context = context_of(route, request, inputs, inputs.facts);
  json::Value old = old_of(request);
  if (request.already_stored && request.operation == api::Operation::kCreate) {
    // Its creation set the defaults of creations, from the facts of that time.
    context.operation = api::Operation::kUpdate;
    old = object;
  }
  defaulters::apply_defaults(context, object, old, patch);
}

}  // namespace

bool can_be_served(api::Version version, const api::ClusterFacts& facts) {
  return version == api::Version::kV1alpha1 || validators::can_serve_v1beta1(facts);
}

void Decision::clear() {
  exemption = Exemption::kNone;
  lease_holder = {};
  lease_end.reset();
  validated_in_full = false;
  refusal.clear();
  findings.clear();
  patch.clear();
  used_exemptions.clear();
  ignored_errors = 0;
  ignored_warnings = 0;
}

std::string_view missing_object(const api::AdmissionRequest& request) {
  const bool create = request.operation == api::Operation::kCreate;
  const bool update = request.operation == api::Operation::kUpdate;
  if ((create || update) && !request.object.exists()) return "request.object";
  if (update && !request.old_object.exists()) return "request.oldObject";
  return "";
}

void evaluate(const Route& route, const api::AdmissionRequest& request,
              const EvaluationInputs& inputs, Decision& decision) {
  decision.clear();
  decision.exemption = find_exemption(request, inputs, decision);
  if (decision.exemption != Exemption::kNone) return;
  if (route.purpose == Purpose::kValidate && has_later_operator(request, inputs.facts)) {
    return validate_both_versions(route, request, inputs, decision);
  }
  if (route.purpose == Purpose::kDefault) {
    return add_defaults(route, request, inputs, request.object, decision.patch);
  }
  api::Context context = context_of(route, request, inputs, inputs.facts);
  validate(context, request, {request.object, old_of(request)}, inputs, decision);
}

std::optional<std::string> PatchCheck::check(const Route& route,
                                             const api::AdmissionRequest& request,
                                             const EvaluationInputs& inputs, Decision& decision) {
  if (decision.patch.empty()) return std::nullopt;
  text_ = decision.patch.text();
  const std::size_t size = text_.size();
  text_.append(json::kParsePadding, '\0');
  if (const auto error = parser_.parse(std::span{text_.data(), size}, {}, patch_)) {
    return "the patch is not JSON: " + error->message();
  }
  if (auto failure = json::apply_patch(request.object, patch_.root(), patched_)) {
    return "the patch does not apply: " + *failure;
  }
  second_.clear();
  add_defaults(route, request, inputs, patched_.root(), second_);
  if (!second_.empty()) return "defaulting the defaulted object changes it again";
  return std::nullopt;
}

}  // namespace dynamo::admission

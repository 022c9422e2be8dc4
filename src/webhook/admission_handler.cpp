#include "webhook/admission_handler.hpp"

#include <cassert>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "admission/answer.hpp"
#include "admission/routes.hpp"
#include "api/kind.hpp"
#include "validators/catalog.hpp"

namespace dynamo::webhook {
namespace {

using admission::ReviewVerdict;

std::string_view message_of(ReviewVerdict verdict) {
  switch (verdict) {
    case ReviewVerdict::kDenied:
      return "denied";
    case ReviewVerdict::kAudited:
      return "would be denied";
    case ReviewVerdict::kExempted:
      return "exempted";
    default:
      return "allowed";
  }
}

}  // namespace

std::span<const std::string_view> metric_rule_ids() {
  static const std::vector<std::string_view> ids = [] {
    std::vector<std::string_view> all;
    for (const validators::Rule& rule : validators::catalog()) all.push_back(rule.id);
    return all;
  }();
  return ids;
}

AdmissionHandler::AdmissionHandler(const AdmissionServices& services,
                                   const AdmissionOptions& options)
    : services_(services),
      options_(options),
      reviewer_(options.enforcement, {.max_depth = options.max_json_depth}) {}

bool AdmissionHandler::knows(std::string_view path) const {
  return admission::find_route(path) != nullptr;
}

void AdmissionHandler::handle(const server::HttpRequest& request, server::HttpAnswer& answer) {
  if (services_.objects == nullptr) return handle_review(request, nullptr, answer);
  const auto objects = services_.objects->read();
  handle_review(request, &*objects, answer);
}

void AdmissionHandler::handle_review(const server::HttpRequest& request,
                                     const api::ClusterObjects* objects,
                                     server::HttpAnswer& answer) {
  const admission::Route& route = *admission::find_route(request.path);
  const auto started = services_.clock.monotonic();
  const auto facts = services_.facts.read();
  const auto leases = services_.leases.read();
  const admission::EvaluationInputs inputs{.settings = services_.settings,
                                           .facts = *facts,
                                           .leases = *leases,
                                           .now = services_.clock.wall(),
                                           .policy = policy(),
                                           .objects = objects};
  const admission::ReviewResult outcome = review(route, request, inputs, answer);
  count(route, outcome, services_.clock.monotonic() - started);
  log(route, outcome);
  reviewer_.give_back();
}

admission::ReviewResult AdmissionHandler::review(const admission::Route& route,
                                                 const server::HttpRequest& request,
                                                 const admission::EvaluationInputs& inputs,
                                                 server::HttpAnswer& answer) {
  try {
    const admission::ReviewResult outcome =
        reviewer_.review(route, request.body, inputs, answer.body);
    answer.status = outcome.http_status;
    if (outcome.http_status != 200) answer.content_type = "text/plain; charset=utf-8";
    return outcome;
  } catch (const std::bad_alloc&) {
    throw;  // no defect
  } catch (const std::exception& error) {
    log_defect("defect in a rule", route, error.what());
    throw;
  } catch (...) {
    log_defect("defect in a rule", route, "not an exception of the standard library");
    throw;
  }
}

const admission::Policy* AdmissionHandler::policy() {
  if (services_.policy == nullptr) return nullptr;
  const std::uint64_t generation = services_.policy->generation();
  if (generation != policy_generation_) {
    policy_ = services_.policy->current();
    policy_generation_ = generation;
  }
  return policy_.get();
}

void AdmissionHandler::log_defect(std::string_view message, const admission::Route& route,
                                  std::string_view reason) {
  services_.logger.log(
      runtime::Level::kError, message,
      {{"uid", reviewer_.last_uid()}, {"kind", api::names(route.kind).name}, {"reason", reason}});
}

void AdmissionHandler::count(const admission::Route& route, const admission::ReviewResult& outcome,
                             std::chrono::nanoseconds duration) {
  WebhookMetrics& metrics = services_.metrics;
  if (outcome.verdict == ReviewVerdict::kBadRequest) {
    metrics.parse_failures
        .at(outcome.parse_failure ? static_cast<std::size_t>(*outcome.parse_failure) : kNotAReview)
        .increment();
    return;
  }
  const api::Operation operation = outcome.request->operation;
  const std::size_t version = client_version_label(*outcome.request);
  const bool denied = outcome.verdict == ReviewVerdict::kDenied;
  if (outcome.verdict == ReviewVerdict::kExempted) {
    metrics.exempted.at(route.kind, exemption_label(outcome.decision->exemption)).increment();
  }
  if (route.purpose == admission::Purpose::kDefault) {
    const bool patched = !outcome.decision->patch.empty();
    metrics.defaulting
        .at(route.kind, operation,
            patched ? DefaultingResult::kPatched : DefaultingResult::kUnchanged, version)
        .increment();
    return;
  }
  // Names of the reference operator, which counts only its validating webhooks.
  metrics.duration.at(route.kind, operation).observe(duration);
  metrics.requests
      .at(route.kind, operation, denied ? AdmissionOutcome::kDenied : AdmissionOutcome::kAllowed,
          version)
      .increment();
  if (denied) {
    metrics.denials.at(route.kind, operation, DenialReason::kValidation, version).increment();
  }
  if (outcome.verdict == ReviewVerdict::kAudited)
    metrics.audit_would_deny.at(route.kind).increment();
  count_findings(outcome.decision->findings);
  count_ignored(route.kind, *outcome.decision);
  if (!outcome.decision->used_exemptions.empty()) {
    metrics.policy_exempted
        .at(route.kind, denied ? AdmissionOutcome::kDenied : AdmissionOutcome::kAllowed)
        .increment();
  }
}

void AdmissionHandler::count_ignored(api::Kind kind, const admission::Decision& decision) {
  const auto count = [&](std::size_t findings, CauseSeverity severity) {
    if (findings > 0) services_.metrics.ignored.at(kind, severity).increment(findings);
  };
  count(decision.ignored_errors, CauseSeverity::kDeny);
  count(decision.ignored_warnings, CauseSeverity::kWarn);
}

void AdmissionHandler::count_findings(const api::ErrorList& findings) {
  for (const api::Error& error : findings.errors()) {
    count_finding(error.rule, CauseSeverity::kDeny);
  }
  for (const api::Warning& warning : findings.warnings()) {
    count_finding(warning.rule, CauseSeverity::kWarn);
  }
}

// The cells have the order of metric_rule_ids(), which is the catalog order.
void AdmissionHandler::count_finding(std::string_view rule, CauseSeverity severity) {
  const auto index = validators::find_rule_index(rule);
  assert(index.has_value());
  if (index) services_.metrics.rule_causes.at(*index, severity).increment();
}

void AdmissionHandler::log(const admission::Route& route, const admission::ReviewResult& outcome) {
  if (outcome.verdict == ReviewVerdict::kBadRequest) return;  // the session logs its own answer
  const bool refused =
      outcome.verdict == ReviewVerdict::kDenied || outcome.verdict == ReviewVerdict::kAudited;
  if (!refused && !options_.log_allowed) return;
  const api::AdmissionRequest& request = *outcome.request;
  // Ids only: no value and no part of the object is ever logged.
  const std::vector<std::string_view> rules = admission::rule_ids(outcome.decision->findings);
  services_.logger.log(
      runtime::Level::kInfo, message_of(outcome.verdict),
      {{"uid", request.uid},
       {"user", request.user.value_or("")},
       {"operation", api::name(request.operation)},
       {"kind", api::names(route.kind).name},
       {"namespace", request.namespace_name},
       {"name", admission::object_name(request)},
       {"dry_run", request.dry_run},
       {"webhook", route.purpose == admission::Purpose::kValidate ? "validate" : "default"},
       {"rules", std::span<const std::string_view>(rules)}});
}

}  // namespace dynamo::webhook

#include "library/evaluator.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "admission/routes.hpp"
#include "admission/settings.hpp"
#include "api/kinds/objects.hpp"
#include "conversion/convert.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "schema/table.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::library {
namespace {

constexpr std::size_t kMaxDepth = DYNAMO_ADMISSION_MAX_DEPTH;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;
constexpr std::size_t kKeptNodes = std::size_t{16} << 10U;

std::string shown(std::string_view text) {
  return text::quoted(text, 80);
}

Status status_of(json::ParseFailure failure) {
  return failure == json::ParseFailure::kTooLarge ? DYNAMO_ADMISSION_TOO_LARGE
                                                  : DYNAMO_ADMISSION_NOT_JSON;
}

void give_back(std::string& text) {
  if (text.capacity() > kKeptBytes) std::string{}.swap(text);
}

// Kind and version stated in an object.
struct StatedKind {
  api::Kind kind;
  api::Version version;

  bool operator==(const StatedKind&) const = default;
};

std::optional<StatedKind> kind_of(json::Value object, const api::ClusterFacts& facts) {
  const auto version = conversion::parse_api_version(object["apiVersion"].string_or_empty());
  const auto kind = admission::find_kind(object["kind"].string_or_empty());
  if (!version || !kind || !admission::can_be_served(*version, facts)) return std::nullopt;
  if (*version == api::Version::kV1beta1 && !api::has_two_versions(*kind)) return std::nullopt;
  return StatedKind{*kind, *version};
}

Failure unknown_kind(std::string_view what, json::Value object) {
  return {DYNAMO_ADMISSION_UNKNOWN_KIND, std::string(what) + " must be of " +
                                             std::string(api::kApiVersion) +
                                             " and of a kind that has rules; found apiVersion " +
                                             shown(object["apiVersion"].string_or_empty()) +
                                             ", kind " + shown(object["kind"].string_or_empty())};
}

admission::EvaluationInputs evaluation_inputs(const Evaluator& evaluator, const Facts& facts) {
  return {.settings = evaluator.settings.settings,
          .facts = facts.cluster,
          .leases = evaluator.leases,
          .now = facts.now,
          .policy = evaluator.policy ? &*evaluator.policy : nullptr};
}

// Settings have the names of the server's flags.
constexpr std::string_view kKnownSettings =
    "operator-version, operator-service-account, restricted-namespace, enforcement";

std::optional<api::ServiceAccount> parse_service_account(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return api::ServiceAccount{std::string(text.substr(0, slash)),
                             std::string(text.substr(slash + 1))};
}

// Applies one setting; returns "" or what must hold.
std::string apply_setting(std::string_view name, json::Value value, EvaluatorSettings& out) {
  if (!value.is_string() || value.string_or_empty().empty()) {
    return std::string(name) + " must be a string that is not empty; found " +
           std::string(value.is_string() ? "nothing" : json::type_name(value.type()));
  }
  const std::string_view text = value.string_or_empty();
  if (name == "operator-version") {
    out.settings.operator_version = admission::stamped_version(text);
  } else if (name == "restricted-namespace") {
    out.settings.restricted_namespace = text;
  } else if (name == "operator-service-account") {
    out.settings.operator_service_account = parse_service_account(text);
    if (!out.settings.operator_service_account) {
      return "operator-service-account must be NAMESPACE/NAME; found " + shown(text);
    }
  } else {
    if (text != "deny" && text != "audit") {
      return "enforcement must be deny or audit; found " + shown(text);
    }
    out.enforcement =
        text == "deny" ? admission::Enforcement::kDeny : admission::Enforcement::kAudit;
  }
  return "";
}

bool is_known_setting(std::string_view name) {
  return name == "operator-version" || name == "operator-service-account" ||
         name == "restricted-namespace" || name == "enforcement";
}

// Fills `settings` and returns "", or one line with the location of the fault and what must hold.
// An empty text, or one of comments only, means all defaults. Pure; never throws for any text.
std::string read_settings(std::string_view text, EvaluatorSettings& settings) {
  settings = default_settings();
  json::YamlReader reader{text};
  json::Document document;
  const auto read = reader.next(document);
  if (read == json::YamlReader::ReadResult::kEnd) return "";
  if (read == json::YamlReader::ReadResult::kError) return reader.error().message();
  if (!document.root().is_object()) {
    return "must be an object; found " + std::string(json::type_name(document.root().type()));
  }
  for (const json::Member member : document.root().members()) {
    std::string reason = is_known_setting(member.name)
                             ? apply_setting(member.name, member.value, settings)
                             : "unknown setting " + shown(member.name) + "; known are " +
                                   std::string(kKnownSettings);
    if (reason.empty()) continue;
    const auto place = document.location(member.value);
    return (place ? "line " + std::to_string(place->line) + ": " : "") + reason;
  }
  json::Document rest;
  if (reader.next(rest) != json::YamlReader::ReadResult::kEnd)
    return "must be one document; found more";
  return "";
}

}  // namespace

EvaluatorSettings default_settings() {
  EvaluatorSettings defaults;
  defaults.settings.operator_version = admission::stamped_version("");
  return defaults;
}

Failure Evaluator::fill(std::optional<std::string_view> settings_text,
                        std::optional<std::string_view> policy_text) {
  if (settings_text) {
    if (std::string reason = read_settings(*settings_text, settings); !reason.empty()) {
      return {DYNAMO_ADMISSION_BAD_SETTINGS, "settings: " + reason};
    }
  }
  if (policy_text) {
    admission::ReadPolicy read = admission::read_policy(*policy_text);
    if (!read.policy) {
      std::string reason = "policy: " + read.errors.front().message();
      if (read.errors.size() > 1) {
        reason += " (and " + std::to_string(read.errors.size() - 1) + " more)";
      }
      return {DYNAMO_ADMISSION_BAD_POLICY, std::move(reason)};
    }
    policy = std::move(read.policy);
  }
  return {};
}

void Verdict::clear() {
  allowed = false;
  exemption.clear();
  message.clear();
  patch.clear();
  stored.clear();
  causes.clear();
  warnings.clear();
  causes_omitted = 0;
  warnings_omitted = 0;
  answer.clear();
  http_status = 0;
  converted.clear();
}

void EvaluationContext::begin() {
  current_ = 1 - current_;
  verdict().clear();
}

void EvaluationContext::finish() {
  Verdict& before = verdicts_[1 - current_];
  before.clear();
  library::give_back(before.stored);
  library::give_back(before.answer);
  library::give_back(before.patch);
  library::give_back(before.converted);
}

void EvaluationContext::give_back() {
  verdict().clear();
  // A dry run keeps as much memory as its largest object needed.
  if (object_.bytes.size() + old_object_.bytes.size() > kKeptBytes) dry_run_.reset();
  library::give_back(object_.bytes);
  library::give_back(old_object_.bytes);
  library::give_back(body_);
  object_.document.shrink_to(kKeptNodes);
  old_object_.document.shrink_to(kKeptNodes);
  request_evaluator_.shrink_to(kKeptNodes);
}

Failure EvaluationContext::read(std::string_view what, std::optional<std::string_view> json,
                                Text& text, std::size_t metadata_depth) {
  text.document.clear();
  if (!json) return {};
  text.bytes = *json;
  text.bytes.append(json::kParsePadding, '\0');
  const json::ParseOptions options{.max_depth = kMaxDepth,
                                   .skip_managed_fields_at = metadata_depth};
  if (const auto error =
          parser_.parse(std::span{text.bytes.data(), json->size()}, options, text.document)) {
    return {status_of(error->failure), std::string(what) + ": " + error->message()};
  }
  if (!text.document.root().is_object()) {
    return {DYNAMO_ADMISSION_INVALID_ARGUMENT,
            std::string(what) + " must be a JSON object; found " +
                std::string(json::type_name(text.document.root().type()))};
  }
  return {};
}

Failure EvaluationContext::decode(const Request& request, const Facts& facts,
                                  api::AdmissionRequest& decoded, api::Kind& kind) {
  const auto operation = api::parse_operation(request.operation);
  if (!operation) {
    return {
        DYNAMO_ADMISSION_INVALID_ARGUMENT,
        "operation must be CREATE, UPDATE, DELETE or CONNECT; found " + shown(request.operation)};
  }
  if (Failure failure = read("object", request.object, object_); failure.has_failed()) {
    return failure;
  }
  if (Failure failure = read("old object", request.old_object, old_object_); failure.has_failed()) {
    return failure;
  }
  decoded.operation = *operation;
  decoded.object = object_.document.root();
  decoded.old_object = old_object_.document.root();
  const bool has_object = decoded.object.exists();
  const json::Value named = has_object ? decoded.object : decoded.old_object;
  if (!named.exists() || !admission::missing_object(decoded).empty()) {
    return {DYNAMO_ADMISSION_INVALID_ARGUMENT, std::string(has_object ? "old object" : "object") +
                                                   " must be given for " +
                                                   std::string(api::name(*operation))};
  }
  const auto found = kind_of(named, facts.cluster);
  if (!found) return unknown_kind(has_object ? "object" : "old object", named);
  if (decoded.old_object.exists() && kind_of(decoded.old_object, facts.cluster) != found) {
    return unknown_kind("old object", decoded.old_object);
  }
  kind = found->kind;
  decoded.kind = {api::kGroup, api::name(found->version), api::names(kind).name};
  decoded.name = request.name.value_or(api::Object{named}.metadata().name());
  decoded.namespace_name =
      request.namespace_name.value_or(named["metadata"]["namespace"].string_or_empty());
  decoded.sub_resource = request.sub_resource.value_or("");
  decoded.user = request.user;
  decoded.dry_run = request.dry_run;
  return {};
}

void EvaluationContext::evaluate_without_schema(const Evaluator& evaluator, api::Kind kind,
                                                const api::AdmissionRequest& request,
                                                const Facts& facts) {
  const admission::Admission admission =
      request_evaluator_.evaluate_both(kind, request, evaluation_inputs(evaluator, facts));
  verdict().patch = admission.patch;
  verdict().allowed = admission.decision.is_allowed();
  api::AdmissionRequest defaulted = request;
  defaulted.object = admission.object;
  keep_findings(kind, defaulted, admission.decision.exemption, admission.decision.findings);
}

Failure EvaluationContext::evaluate_with_schema(const Evaluator& evaluator, api::Kind kind,
                                                const api::AdmissionRequest& request, bool strict,
                                                const Facts& facts) {
  const schema::Resource* resource =
      schema::find_resource(api::names(kind).name, conversion::api_version(request.version()),
                            facts.cluster.operator_generation);
  if (resource == nullptr) return {DYNAMO_ADMISSION_INTERNAL, "a kind without a schema"};
  const bool of_object = request.sub_resource.empty();
  const bool writes =
      request.operation == api::Operation::kCreate || request.operation == api::Operation::kUpdate;
  if (!of_object || !writes) {
    return {DYNAMO_ADMISSION_INVALID_ARGUMENT,
            "with_schema must be 0 except for CREATE and UPDATE of an object itself"};
  }
  if (!dry_run_) dry_run_.emplace();
  const bool update = request.operation == api::Operation::kUpdate;
  const admission::DryRunResult& result =
      dry_run_->run({.resource = *resource,
                     .object = request.object,
                     .old_object = update ? request.old_object : json::Value{},
                     .default_namespace = request.namespace_name,
                     .user = request.user,
                     .strict = strict},
                    evaluation_inputs(evaluator, facts));
  verdict().allowed = result.is_allowed();
  verdict().stored = json::to_text(result.stored);
  keep_findings(kind, request, result.exemption, result.findings);
  return {};
}

void EvaluationContext::keep_findings(api::Kind kind, const api::AdmissionRequest& request,
                                      admission::Exemption exemption,
                                      const api::ErrorList& findings) {
  verdict().exemption = admission::name(exemption);
  for (const api::Error& error : findings.errors()) {
    verdict().causes.push_back({error.field, std::string(api::cause_reason(error.type)),
                                error.message(), error.detail, std::string(error.rule)});
  }
  verdict().causes_omitted = findings.omitted_errors();
  verdict().warnings_omitted = findings.omitted_warnings();
  if (findings.has_errors()) {
    verdict().message = admission::denial_message(kind, admission::object_name(request), findings);
  }
  keep_warnings(findings);
}

// Keeps as many warnings as fit next to the denial.
void EvaluationContext::keep_warnings(const api::ErrorList& findings) {
  constexpr std::size_t kMaxMessageBytes = std::size_t{60} << 10U;
  std::size_t message_bytes = verdict().message.size();
  for (const EvaluatedFinding& cause : verdict().causes) {
    message_bytes += cause.field.size() + cause.message.size();
  }
  for (const api::Warning& warning : findings.warnings()) {
    std::string message = warning.message();
    message_bytes += message.size();
    if (message_bytes > kMaxMessageBytes) {
      ++verdict().warnings_omitted;
      continue;
    }
    verdict().warnings.push_back(
        {warning.field, "", std::move(message), warning.detail, std::string(warning.rule)});
  }
}

Failure EvaluationContext::evaluate(const Evaluator& evaluator, const Request& request,
                                    const Facts& facts) {
  give_back();
  api::AdmissionRequest decoded;
  api::Kind kind{};
  Failure failure = decode(request, facts, decoded, kind);
  if (!failure.has_failed() && request.with_schema) {
    failure = evaluate_with_schema(evaluator, kind, decoded, request.strict, facts);
  } else if (!failure.has_failed()) {
    evaluate_without_schema(evaluator, kind, decoded, facts);
  }
  if (failure.has_failed()) verdict().clear();
  return failure;
}

Failure EvaluationContext::convert(std::optional<std::string_view> object,
                                   std::string_view api_version) {
  give_back();
  const auto target = conversion::parse_api_version(api_version);
  if (!target) {
    return {DYNAMO_ADMISSION_INVALID_ARGUMENT,
            "api_version must be nvidia.com/v1alpha1 or nvidia.com/v1beta1; found " +
                shown(api_version)};
  }
  if (!object) return {DYNAMO_ADMISSION_INVALID_ARGUMENT, "object must not be null"};
  // An object has managedFields in both versions.
  if (Failure failure = read("object", object, object_, 0); failure.has_failed()) return failure;
  const auto reason = converter_.convert(object_.document.root(), *target, verdict().converted);
  if (!reason) return {};
  constexpr std::size_t kLongestReason = 1000;
  Failure failure{DYNAMO_ADMISSION_NOT_CONVERTIBLE, "object: "};
  text::append_presentable(failure.reason, *reason, kLongestReason);
  return failure;
}

admission::Reviewer& EvaluationContext::reviewer(admission::Enforcement enforcement) {
  auto& slot = reviewers_[static_cast<std::size_t>(enforcement)];
  if (!slot) slot.emplace(enforcement, admission::Reviewer::Limits{.max_depth = kMaxDepth});
  return *slot;
}

Failure EvaluationContext::review(const Evaluator& evaluator, std::string_view path,
                                  std::string_view body, const Facts& facts) {
  give_back();
  const admission::Route* route = admission::find_route(path);
  if (route == nullptr) {
    return {DYNAMO_ADMISSION_INVALID_ARGUMENT, "path must be the path of a webhook such as " +
                                                   std::string(admission::routes().front().path) +
                                                   "; found " + shown(path)};
  }
  body_ = body;
  body_.append(json::kParsePadding, '\0');
  const admission::EvaluationInputs inputs = evaluation_inputs(evaluator, facts);
  const admission::ReviewResult outcome =
      reviewer(evaluator.settings.enforcement)
          .review(*route, std::span{body_.data(), body.size()}, inputs, verdict().answer);
  verdict().http_status = outcome.http_status;
  if (outcome.verdict == admission::ReviewVerdict::kBadRequest) {
    std::string reason = verdict().answer;
    while (reason.ends_with('\n')) reason.pop_back();
    return {outcome.parse_failure ? status_of(*outcome.parse_failure) : DYNAMO_ADMISSION_BAD_REVIEW,
            std::move(reason)};
  }
  verdict().allowed = outcome.verdict != admission::ReviewVerdict::kDenied;
  keep_findings(route->kind, *outcome.request, outcome.decision->exemption,
                outcome.decision->findings);
  // Reading the text closes the patch; the reviewer has already written its response.
  if (!outcome.decision->patch.empty()) {
    json::PatchWriter patch = outcome.decision->patch;
    verdict().patch = patch.text();
  }
  return {};
}

}  // namespace dynamo::library

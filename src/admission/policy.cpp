#include "admission/policy.hpp"

#include <algorithm>

#include "text/glob.hpp"
#include "validators/catalog.hpp"

namespace dynamo::admission {
namespace {

bool covered(const std::vector<std::string>& globs, std::string_view text) {
  return globs.empty() || std::ranges::any_of(globs, [&](const std::string& glob) {
           return text::matches_glob(glob, text);
         });
}

void apply(const PolicySeverity& statement, validators::Severities& severities) {
  for (const std::uint16_t rule : statement.rules.indices) severities.set(rule, statement.severity);
}

void take(const std::optional<std::vector<std::string>>& given, api::AllowList& list) {
  if (given) list = std::span<const std::string>(*given);
}

}  // namespace

bool PolicyScope::matches(const PolicySubject& subject) const {
  const bool right_kind = kinds.empty() || std::ranges::find(kinds, subject.kind) != kinds.end();
  return right_kind && covered(namespaces, subject.namespace_name) && covered(names, subject.name);
}

std::string PolicyExemption::describe() const {
  return "held by " + holder + " until " + expires_text + ": " + reason;
}

std::string PolicyError::message() const {
  if (line == 0) return reason;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + reason;
}

std::string describe_errors(std::string_view file, const std::vector<PolicyError>& errors) {
  std::string lines;
  for (const PolicyError& error : errors) {
    if (!lines.empty()) lines += '\n';
    lines.append(file).append(": ").append(error.message());
  }
  return lines;
}

void Policy::prepare() {
  while (settled_ < severities_.size() && severities_[settled_].scope.is_everything()) {
    if (!everywhere_) everywhere_ = validators::default_severities();
    apply(severities_[settled_++], *everywhere_);
  }
}

const validators::Severities& Policy::severities_for(const PolicySubject& subject,
                                                     validators::Severities& storage) const {
  const validators::Severities& base =
      everywhere_ ? *everywhere_ : validators::default_severities();
  bool covered_once = false;
  for (std::size_t at = settled_; at < severities_.size(); ++at) {
    if (!severities_[at].scope.matches(subject)) continue;
    if (!covered_once) storage = base;
    covered_once = true;
    apply(severities_[at], storage);
  }
  return covered_once ? storage : base;
}

api::Parameters Policy::parameters_for(const PolicySubject& subject,
                                       const api::Parameters& defaults) const {
  api::Parameters found = defaults;
  for (const PolicyParameters& statement : parameters_) {
    if (!statement.scope.matches(subject)) continue;
    if (!statement.allowed_registries.empty()) {
      found.allowed_registries = statement.allowed_registries;
    }
    if (statement.max_replicas_per_service) {
      found.max_replicas_per_service = statement.max_replicas_per_service;
    }
    if (!statement.allowed_lora_schemes.empty()) {
      found.allowed_lora_schemes = statement.allowed_lora_schemes;
    }
    if (!statement.required_resource_limits.empty()) {
      found.required_resource_limits = statement.required_resource_limits;
    }
    take(statement.allowed_service_accounts, found.allowed_service_accounts);
    take(statement.allowed_host_paths, found.allowed_host_paths);
    take(statement.allowed_host_access, found.allowed_host_access);
    take(statement.allowed_ingress_hosts, found.allowed_ingress_hosts);
    take(statement.allowed_istio_gateways, found.allowed_istio_gateways);
  }
  return found;
}

const PolicyExemption* Policy::find_exemption(const PolicySubject& subject, std::string_view rule,
                                              std::chrono::system_clock::time_point now) const {
  const validators::Rule* row = validators::find_rule(rule);
  if (row == nullptr) return nullptr;
  const auto at = std::ranges::find_if(exemptions_, [&](const PolicyExemption& exemption) {
    return exemption.rules.matched.test(validators::index_of(*row)) && exemption.is_active(now) &&
           exemption.scope.matches(subject);
  });
  return at == exemptions_.end() ? nullptr : &*at;
}

}  // namespace dynamo::admission

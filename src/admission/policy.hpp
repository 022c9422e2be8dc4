// The policy file: the severities of rules, temporary exemptions, and parameters of the policy
// rules.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "api/parameters.hpp"
#include "json/document.hpp"
#include "validators/severities.hpp"

namespace dynamo::admission {

// The longest accepted policy text, in bytes.
inline constexpr std::size_t kMaxPolicyBytes = std::size_t{1} << 20U;

// The object that a policy is evaluated for.
struct PolicySubject {
  api::Kind kind;
  std::string_view namespace_name;
  std::string_view name;
};

// The objects that a statement of a policy covers. Globs; an empty list means all.
struct PolicyScope {
  std::vector<std::string> namespaces;
  std::vector<std::string> names;
  std::vector<api::Kind> kinds;

  bool is_everything() const { return namespaces.empty() && names.empty() && kinds.empty(); }
  bool matches(const PolicySubject& subject) const;
};

// The rules that a statement covers.
struct PolicyRules {
  std::vector<std::string> globs;
  validators::RuleSet matched;  // by the globs, without rules that the statement cannot weaken
  std::vector<std::uint16_t> indices;  // catalog indices of `matched`, for iteration
};

struct PolicySeverity {
  json::Location place;
  PolicyRules rules;
  PolicyScope scope;
  validators::Severity severity;
};

struct PolicyExemption {
  json::Location place;
  PolicyRules rules;
  PolicyScope scope;
  std::string holder;
  std::string reason;
  std::chrono::system_clock::time_point expires;
  std::string expires_text;  // as in the file

  bool is_active(std::chrono::system_clock::time_point now) const { return now < expires; }
  // "held by team-a until 2026-12-31: migration, ticket 123"
  std::string describe() const;
};

// A parameter that the statement does not set is empty, or nullopt if its list may be empty.
struct PolicyParameters {
  json::Location place;
  PolicyScope scope;
  std::vector<std::string> allowed_registries;  // normalised by parse_registry()
  std::optional<std::int64_t> max_replicas_per_service;
  std::vector<std::string> allowed_lora_schemes;
  std::vector<std::string> required_resource_limits;
  std::optional<std::vector<std::string>> allowed_service_accounts;
  std::optional<std::vector<std::string>> allowed_host_paths;
  std::optional<std::vector<std::string>> allowed_host_access;
  std::optional<std::vector<std::string>> allowed_ingress_hosts;
  std::optional<std::vector<std::string>> allowed_istio_gateways;
};

struct PolicyError {
  std::uint32_t line = 0;  // 0: the whole file
  std::uint32_t column = 0;
  std::string reason;  // one line: what must hold, what was found

  // "line 3, column 5: reason"
  std::string message() const;
};

// One line per error: "FILE: line 3, column 5: reason".
std::string describe_errors(std::string_view file, const std::vector<PolicyError>& errors);

// A policy, immutable after reading; safe to share between threads.
class Policy {
 public:
  const std::vector<PolicySeverity>& severities() const { return severities_; }
  const std::vector<PolicyExemption>& exemptions() const { return exemptions_; }
  const std::vector<PolicyParameters>& parameters() const { return parameters_; }
  // Whether the server honours annotations by which authors ignore findings: ignores.hpp.
  bool honours_ignores() const { return honours_ignores_; }

  // The severities for one object: the catalog's, overridden by every statement that covers the
  // object, in the order of the file, so that the last one wins. `storage` is only written if a
  // statement with a scope covers the object.
  const validators::Severities& severities_for(const PolicySubject& subject,
                                               validators::Severities& storage) const;

  // The parameters for one object: each from the last statement that sets it and covers the
  // object, else from `defaults`. Views into this policy; allocates nothing.
  api::Parameters parameters_for(const PolicySubject& subject,
                                 const api::Parameters& defaults = {}) const;

  // The first exemption that covers rule and object and has not expired, or null.
  const PolicyExemption* find_exemption(const PolicySubject& subject, std::string_view rule,
                                        std::chrono::system_clock::time_point now) const;

 private:
  friend class PolicyReader;
  // Called after reading: precomputes the part that does not depend on an object.
  void prepare();

  std::vector<PolicySeverity> severities_;
  std::vector<PolicyExemption> exemptions_;
  std::vector<PolicyParameters> parameters_;
  bool honours_ignores_ = false;
  // The result of the leading statements that cover everything, and their number.
  std::optional<validators::Severities> everywhere_;
  std::size_t settled_ = 0;
};

// Exactly one of the two is set.
struct ReadPolicy {
  std::optional<Policy> policy;
  std::vector<PolicyError> errors;  // all mistakes, in the order of the text
};

// Reads the YAML (or JSON) text of a policy file. Pure; never throws, for any text. No statement
// can weaken the rules that report objects which could not be validated
// (validators::protected_rules): naming one is a mistake, and a glob skips them.
//
//   version: 1
//   severities:                      # later statements win
//     - rules: [service.*]           # ids or globs
//       severity: warn               # deny, warn or off
//       namespaces: [dev-*]          # globs; default: all. Also names, kinds
//   exemptions:                      # errors become warnings until the day
//     - rules: [dgd.topology.services]
//       namespaces: [team-a]
//       holder: team-a
//       reason: moves to new services, ticket 123
//       expires: 2026-12-31          # a day in UTC, or a time in RFC 3339
//   honourIgnores: true              # honour authors' annotations; default: false
//   parameters:                      # later statements win, each parameter by itself
//     - allowedRegistries: [nvcr.io/nvidia, docker.io/library]
//       maxReplicasPerService: 16
//       allowedLoraSchemes: [s3]
//       requiredResourceLimits: [cpu, memory, gpu]
//       namespaces: [team-*]         # also names, kinds
ReadPolicy read_policy(std::string_view text);

}  // namespace dynamo::admission

// The policy file: which rules deny, warn or are silent, and who is exempt from them until when.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "validators/severities.hpp"

namespace dynamo::admission {

// Longest policy text that is read, in bytes.
inline constexpr std::size_t kMaxPolicyBytes = std::size_t{1} << 20U;

// The object that a policy is asked about.
struct PolicySubject {
  api::Kind kind;
  std::string_view namespace_name;
  std::string_view name;
};

// Which rules and which objects a statement of a policy is about. Globs; an empty list means all.
struct PolicyScope {
  std::vector<std::string> rule_globs;
  validators::RuleSet rules;  // what they match in the catalogue
  std::vector<std::string> namespaces;
  std::vector<std::string> names;
  std::vector<api::Kind> kinds;

  bool covers(const PolicySubject& subject) const;
};

struct PolicySeverity {
  PolicyScope scope;
  validators::Severity severity;
};

struct PolicyExemption {
  PolicyScope scope;
  std::string holder;
  std::string reason;
  std::chrono::system_clock::time_point expires;
  std::string expires_text;  // as the file says it

  bool active(std::chrono::system_clock::time_point now) const { return now < expires; }
  // "held by team-a until 2026-12-31: migration, ticket 123"
  std::string describe() const;
};

struct PolicyError {
  std::uint32_t line = 0;  // 0: the file as a whole
  std::uint32_t column = 0;
  std::string reason;  // one line: what must hold, what was found

  // "line 3, column 5: reason"
  std::string message() const;
};

// A policy, immutable once it is read; safe to share between threads.
class Policy {
 public:
  const std::vector<PolicySeverity>& severities() const { return severities_; }
  const std::vector<PolicyExemption>& exemptions() const { return exemptions_; }

  // The severities for one object: the catalogue's, then every statement that covers it, in the
  // order of the file, so that the last one wins. `storage` is written only when one covers it.
  const validators::Severities& severities_for(const PolicySubject& subject,
                                               validators::Severities& storage) const;

  // The first exemption that covers rule and object and has not expired, or null.
  const PolicyExemption* find_exemption(const PolicySubject& subject, std::string_view rule,
                                        std::chrono::system_clock::time_point now) const;

 private:
  friend class PolicyReader;
  std::vector<PolicySeverity> severities_;
  std::vector<PolicyExemption> exemptions_;
};

// Exactly one of the two is filled.
struct ReadPolicy {
  std::optional<Policy> policy;
  std::vector<PolicyError> errors;  // every mistake, in the order of the text
};

// Reads the YAML (or JSON) text of a policy file. Pure; never throws for any text.
//
//   version: 1
//   severities:                      # later statements win
//     - rules: [service.*]           # ids or globs
//       severity: warn               # deny, warn or off
//       namespaces: [dev-*]          # globs; left out: all. Also names, kinds
//   exemptions:                      # errors become warnings until the day
//     - rules: [dgd.topology.services]
//       namespaces: [team-a]
//       holder: team-a
//       reason: moves to new services, ticket 123
//       expires: 2026-12-31          # a day in UTC, or a time in RFC 3339
ReadPolicy read_policy(std::string_view text);

}  // namespace dynamo::admission

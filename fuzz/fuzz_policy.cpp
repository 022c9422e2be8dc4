// Reading a policy never crashes and ends: it yields a policy or mistakes, never both. Each mistake
// and each warning is one line of UTF-8 with a position in the text. Evaluating an object by the
// policy is deterministic and stays within the catalog's limits.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"
#include "admission/policy_check.hpp"
#include "fuzz/check.hpp"
#include "json/scan.hpp"
#include "validators/catalog.hpp"
#include "validators/content/registry.hpp"

namespace admission = dynamo::admission;
namespace api = dynamo::api;
namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace validators = dynamo::validators;

namespace {

// 2026-02-03T04:05:06Z
const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

void check_messages(const std::vector<admission::PolicyError>& messages, std::size_t lines) {
  for (const admission::PolicyError& message : messages) {
    fuzz::require(!message.reason.empty(), "a message says something");
    fuzz::require(message.reason.find('\n') == std::string::npos, "a message is one line");
    fuzz::require(!json::find_invalid_utf8(message.message()), "a message is UTF-8");
    fuzz::require(message.line <= lines, "a message has a place in the text");
    fuzz::require((message.line == 0) == (message.column == 0), "lines and columns count from 1");
  }
}

void check_parameters(const admission::Policy& policy, const admission::PolicySubject& subject) {
  const api::Parameters found = policy.parameters_for(subject);
  fuzz::require(found.max_replicas_per_service.value_or(1) > 0, "a maximum lets something pass");
  for (const std::string& registry : found.allowed_registries) {
    fuzz::require(validators::parse_registry(registry) == registry,
                  "a registry is kept in its normal form");
    const std::string image = registry + "/a";
    fuzz::require(validators::ImageSource(image).is_from(registry),
                  "an image below a registry is from there");
  }
  for (const std::string& scheme : found.allowed_lora_schemes) {
    fuzz::require(!scheme.empty() && scheme.find(':') == std::string::npos, "a scheme is one");
  }
}

void check_policy(const admission::Policy& policy, std::size_t lines) {
  check_messages(admission::policy_warnings(policy, kNow), lines);
  for (const std::string_view name : {"", "team-a", "dev-1", "Team_A"}) {
    for (const api::KindNames& kind : api::kKinds) {
      const admission::PolicySubject subject{kind.kind, name, name};
      validators::Severities storage;
      validators::Severities again;
      const validators::Severities& severities = policy.severities_for(subject, storage);
      const validators::Severities& same = policy.severities_for(subject, again);
      for (const validators::Rule& rule : validators::catalog()) {
        const std::size_t at = validators::index_of(rule);
        fuzz::require(severities.at(at) <= validators::Severity::kDeny, "a severity is one");
        fuzz::require(severities.at(at) == same.at(at), "a policy does not change its mind");
      }
      const auto* const exemption = policy.find_exemption(subject, "dgd.topology.services", kNow);
      fuzz::require(exemption == nullptr || exemption->is_active(kNow), "who is exempt is in time");
      check_parameters(policy, subject);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const admission::ReadPolicy read = admission::read_policy(text);
  fuzz::require(read.policy.has_value() == read.errors.empty(), "a policy, or mistakes");
  // YAML has several line endings; none is shorter than a byte.
  const std::size_t lines = text.size() + 1;
  check_messages(read.errors, lines);
  if (read.policy) check_policy(*read.policy, lines);
  return 0;
}

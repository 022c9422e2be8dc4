// What is odd about a policy that can be used all the same, for people who write one.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"

namespace dynamo::admission {

// A parameter of a policy.
struct PolicyParameterRow {
  std::string_view name;                              // as a policy file says it
  std::string_view rule;                              // the id of the rule that measures by it
  std::vector<std::string> PolicyParameters::*texts;  // null: a number

  bool given(const PolicyParameters& statement) const {
    return texts == nullptr ? statement.max_replicas_per_service.has_value()
                            : !(statement.*texts).empty();
  }
};
inline constexpr PolicyParameterRow kPolicyParameters[] = {
    {"allowedRegistries", "policy.registry", &PolicyParameters::allowed_registries},
    {"maxReplicasPerService", "policy.replicas", nullptr},
    {"allowedLoraSchemes", "policy.lora-scheme", &PolicyParameters::allowed_lora_schemes},
    {"requiredResourceLimits", "policy.resource-limits",
     &PolicyParameters::required_resource_limits},
};

// Statements without effect and exemptions that have expired, one line each with its place, in the
// order of the file. Never says of a statement that has an effect that it has none; of one that
// several others replace only together it may say nothing.
std::vector<PolicyError> policy_warnings(const Policy& policy,
                                         std::chrono::system_clock::time_point now);

}  // namespace dynamo::admission

// Finds probable mistakes in a valid policy, as warnings for its author.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"

namespace dynamo::admission {

// A parameter of a policy.
struct PolicyParameterRow {
  std::string_view name;                              // its name in a policy file
  std::string_view rule;                              // the id of the rule that checks it
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

// Statements without effect and expired exemptions, one line each with the location, in the order
// of the file. Never reports a statement that has an effect. May miss one that only several others
// together override.
std::vector<PolicyError> policy_warnings(const Policy& policy,
                                         std::chrono::system_clock::time_point now);

}  // namespace dynamo::admission

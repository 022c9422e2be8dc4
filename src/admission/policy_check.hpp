// Finds probable mistakes in a valid policy, as warnings for its author.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"

namespace dynamo::admission {

// A parameter of a policy.
struct PolicyParameterRow {
  std::string_view name;  // as a policy file writes it
  std::string_view rule;  // the id of the rule that applies it
  // At most one of the two; none for the number.
  std::vector<std::string> PolicyParameters::*texts = nullptr;
  std::optional<std::vector<std::string>> PolicyParameters::*allowed = nullptr;  // may be empty

  bool is_given(const PolicyParameters& statement) const {
    if (allowed != nullptr) return (statement.*allowed).has_value();
    return texts == nullptr ? statement.max_replicas_per_service.has_value()
                            : !(statement.*texts).empty();
  }
  // The given texts; none for the number. Precondition: given(statement).
  std::span<const std::string> texts_of(const PolicyParameters& statement) const {
    if (allowed != nullptr) return *(statement.*allowed);
    return texts == nullptr ? std::span<const std::string>{} : statement.*texts;
  }
  bool is_number() const { return texts == nullptr && allowed == nullptr; }
};
inline constexpr PolicyParameterRow kPolicyParameters[] = {
    {"allowedRegistries", "policy.registry", &PolicyParameters::allowed_registries},
    {"maxReplicasPerService", "policy.replicas", nullptr},
    {"allowedLoraSchemes", "policy.lora-scheme", &PolicyParameters::allowed_lora_schemes},
    {"requiredResourceLimits", "policy.resource-limits",
     &PolicyParameters::required_resource_limits},
    {.name = "allowedServiceAccounts",
     .rule = "policy.service-account",
     .allowed = &PolicyParameters::allowed_service_accounts},
    {.name = "allowedHostPaths",
     .rule = "policy.host-path",
     .allowed = &PolicyParameters::allowed_host_paths},
    {.name = "allowedHostAccess",
     .rule = "policy.host-access",
     .allowed = &PolicyParameters::allowed_host_access},
    {.name = "allowedIngressHosts",
     .rule = "policy.ingress-host",
     .allowed = &PolicyParameters::allowed_ingress_hosts},
    {.name = "allowedIstioGateways",
     .rule = "policy.istio-gateway",
     .allowed = &PolicyParameters::allowed_istio_gateways},
};

// Statements without effect and expired exemptions, one line each with the location, in the order
// of the file. Never reports a statement that has an effect. May miss one that only several others
// together override.
std::vector<PolicyError> policy_warnings(const Policy& policy,
                                         std::chrono::system_clock::time_point now);

}  // namespace dynamo::admission

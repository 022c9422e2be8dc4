#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/network/network.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr SetOf<Kind> kPods{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"net.port.named-lost", kServices, kAlways, kWarn, kStricter, &network::named_port_lost,
     "M.ports"},
    {"net.port.moved", kServices, kAlways, kWarn, kStricter, &network::port_moved,
     "M.args, M.ports, M.env, P.envs"},
    {"net.env.reserved", kServices, kAlways, kWarn, kStricter, &network::reserved_variable,
     "M.env, P.envs"},
    {"net.ingress.host", kServices, kAlways, kDeny, kStricter, &network::ingress_host,
     "P.ingress.host, P.ingress.hostPrefix, P.ingress.hostSuffix"},
    {"net.ingress.no-effect", kServices, kAlways, kWarn, kStricter, &network::ingress_no_effect,
     "P.ingress"},
    {"net.host-network", kPods, kAlways, kDeny, kStricter, &network::host_network,
     "E.hostNetwork, E.dnsPolicy, C.ports"},
    {"net.service-account", kServices, kAlways, kWarn, kStricter, &network::service_account,
     "E.serviceAccountName"},
});
// clang-format on

}  // namespace

std::span<const Rule> network_rules() {
  return kRules;
}

}  // namespace dynamo::validators

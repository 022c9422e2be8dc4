#include <array>

#include "validators/catalog.hpp"
#include "validators/preflight/network/network.hpp"
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
     "M.ports", "a list of ports keeps the one that is called by its name"},
    {"net.port.moved", kServices, kAlways, kWarn, kStricter, &network::port_moved,
     "M.args, M.ports, M.env, P.envs", "a component listens on the port on which it is called"},
    {"net.env.reserved", kServices, kAlways, kWarn, kStricter, &network::reserved_variable,
     "M.env, P.envs", "variables by which components find each other keep the operator's values"},
    {"net.ingress.host", kServices, kAlways, kDeny, kStricter, &network::ingress_host,
     "P.ingress.host, P.ingress.hostPrefix, P.ingress.hostSuffix", "an ingress has a DNS name"},
    {"net.ingress.no-effect", kServices, kAlways, kWarn, kStricter, &network::ingress_no_effect,
     "P.ingress", "an enabled ingress leads to a frontend, through a class or a gateway"},
    {"net.host-network", kPods, kAlways, kDeny, kStricter, &network::host_network,
     "E.hostNetwork, E.dnsPolicy, C.ports", "pods in the network of their node keep to its ports and its DNS"},
    {"net.service-account", kServices, kAlways, kWarn, kStricter, &network::service_account,
     "E.serviceAccountName", "an account of the user's lets pods find each other"},
});
// clang-format on

}  // namespace

std::span<const Rule> network_rules() {
  return kRules;
}

}  // namespace dynamo::validators

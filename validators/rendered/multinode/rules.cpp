#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/multinode/multinode.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kGraph{Kind::kGraphDeployment};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"multinode.vllm.flag-form", kServices, kAlways, kWarn, kStricter, &multinode::vllm_flag_form,
     "M.command, M.args"},
    {"multinode.gpu-location", kServices, kAlways, kWarn, kStricter, &multinode::gpu_location,
     "P.resources.limits, M.resources.limits"},
    {"multinode.no-injection", kServices, kAlways, kWarn, kStricter, &multinode::no_injection,
     "M.command, M.args"},
    {"multinode.args.unquoted", kServices, kAlways, kWarn, kStricter, &multinode::unquoted_arguments,
     "M.command, M.args"},
    {"multinode.lws.container", kServices, kAlways, kDeny, kStricter, &multinode::leader_worker_set_container,
     "M.command, M.args, P.resources.limits.gpu"},
    {"cross.orchestrator-missing", kGraph, kAlways, kWarn, kStricter, &multinode::orchestrator_missing,
     "P.multinode"},
});
// clang-format on

}  // namespace

std::span<const Rule> multinode_rules() {
  return kRules;
}

}  // namespace dynamo::validators

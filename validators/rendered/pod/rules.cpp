#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/pod/pod.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;
using Kinds = SetOf<Kind>;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};

constexpr Kinds kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr Kinds kPods{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr Kinds kGraph{Kind::kGraphDeployment};
constexpr Kinds kCheckpoints{Kind::kCheckpoint};
constexpr Kinds kScheduled{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint,
                           Kind::kGraphDeploymentRequest};

constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// E is the extraPodSpec of a service, M its mainContainer, C any container of a pod.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"pod.too-much", kScheduled, kAlways, kDeny, kStricter, &pod::too_much,
     "E.containers, E.initContainers, E.volumes, C.args, C.env, C.ports, C.volumeMounts, C.resources, P.envs, P.volumeMounts"},
    {"pod.command.default-shell", kServices, kAlways, kWarn, kStricter, &pod::default_shell,
     "M.args"},
    {"pod.command.shell-multiarg", kPods, kAlways, kWarn, kStricter, &pod::shell_arguments,
     "C.command, C.args"},
    {"pod.command.frontend-merge", kServices, kAlways, kWarn, kStricter, &pod::frontend_merge,
     "M.command, M.args"},
    {"pod.command.unexpanded-var", kPods, kAlways, kWarn, kStricter, &pod::unexpanded_variable,
     "C.command, C.args"},
    {"pod.command.undefined-ref", kPods, kAlways, kWarn, kStricter, &pod::undefined_reference,
     "C.command, C.args, C.env"},
    {"pod.image", kPods, kAlways, kDeny, kStricter, &pod::image,
     "C.image"},
    {"pod.image.placeholder", kPods, kAlways, kWarn, kStricter, &pod::image_placeholder,
     "C.image"},
    {"pod.container.names", kPods, kAlways, kDeny, kStricter, &pod::container_names,
     "C.name"},
    {"pod.env", kPods, kAlways, kDeny, kStricter, &pod::variables,
     "C.env, C.envFrom"},
    {"pod.ports", kPods, kAlways, kDeny, kStricter, &pod::ports,
     "C.ports"},
    {"pod.probe.two-handlers", kServices, kAlways, kDeny, kStricter, &pod::merged_probe,
     "M.livenessProbe, M.readinessProbe"},
    {"pod.probe", kPods, kAlways, kDeny, kStricter, &pod::probes,
     "C.livenessProbe, C.readinessProbe, C.startupProbe"},
    {"pod.lifecycle", kPods, kAlways, kDeny, kStricter, &pod::lifecycle,
     "C.lifecycle"},
    {"pod.security", kPods, kAlways, kDeny, kStricter, &pod::security,
     "E.securityContext, C.securityContext"},
    {"pod.volumes", kPods, kAlways, kDeny, kStricter, &pod::volumes,
     "E.volumes"},
    {"pod.labels", kServices, kAlways, kDeny, kStricter, &pod::labels,
     "P.labels, P.annotations, P.extraPodMetadata"},
    {"pod.forbidden-in-template", kPods, kAlways, kDeny, kStricter, &pod::forbidden_in_template,
     "E"},
    {"pod.dns", kPods, kAlways, kDeny, kStricter, &pod::dns,
     "E.dnsPolicy, E.dnsConfig, E.hostAliases"},
    {"pod.references", kPods, kAlways, kDeny, kStricter, &pod::references,
     "E.serviceAccountName, E.priorityClassName, E.runtimeClassName"},
    {"pod.scheduling", kScheduled, kAlways, kDeny, kStricter, &pod::scheduling,
     "E.tolerations, E.affinity, E.nodeSelector, E.topologySpreadConstraints"},
    {"pod.scheduler.mixed", kGraph, kAlways, kDeny, kStricter, &pod::scheduler_mixed,
     "E.schedulerName"},
    {"pod.vocabulary", kScheduled, kAlways, kDeny, kStricter, &pod::vocabulary,
     "C.imagePullPolicy, C.terminationMessagePolicy, C.ports, E.dnsPolicy, E.tolerations, E.topologySpreadConstraints"},
    {"ckpt.pod-template", kCheckpoints, kAlways, kWarn, kStricter, &pod::checkpoint_template,
     "spec.job.podTemplateSpec.spec.containers"},
});
// clang-format on

}  // namespace

std::span<const Rule> pod_rules() {
  return kRules;
}

}  // namespace dynamo::validators

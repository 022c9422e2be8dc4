#include <array>

#include "validators/catalog.hpp"
#include "validators/preflight/pod/pod.hpp"
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
     "E.containers, E.initContainers, E.volumes, C.args, C.env, C.ports, C.volumeMounts, C.resources, P.envs, P.volumeMounts", "the lists that a pod is made of hold no more than can be judged"},
    {"pod.command.default-shell", kServices, kAlways, kWarn, kStricter, &pod::default_shell,
     "M.args", "arguments without a command are one script for the default shell"},
    {"pod.command.shell-multiarg", kPods, kAlways, kWarn, kStricter, &pod::shell_arguments,
     "C.command, C.args", "a shell gets one script behind -c"},
    {"pod.command.frontend-merge", kServices, kAlways, kWarn, kStricter, &pod::frontend_merge,
     "M.command, M.args", "command and arguments of a frontend fit what the operator puts beside them"},
    {"pod.command.unexpanded-var", kPods, kAlways, kWarn, kStricter, &pod::unexpanded_variable,
     "C.command, C.args", "$NAME stands only where a shell replaces it"},
    {"pod.command.undefined-ref", kPods, kAlways, kWarn, kStricter, &pod::undefined_reference,
     "C.command, C.args, C.env", "$(NAME) refers to a variable that is defined before it"},
    {"pod.image", kPods, kAlways, kDeny, kStricter, &pod::image,
     "C.image", "every container has an image"},
    {"pod.image.placeholder", kPods, kAlways, kWarn, kStricter, &pod::image_placeholder,
     "C.image", "no placeholder is left in the place of an image"},
    {"pod.container.names", kPods, kAlways, kDeny, kStricter, &pod::container_names,
     "C.name", "containers have names of their own, which are DNS labels"},
    {"pod.env", kPods, kAlways, kDeny, kStricter, &pod::variables,
     "C.env, C.envFrom", "variables have names that Kubernetes takes and one source each"},
    {"pod.ports", kPods, kAlways, kDeny, kStricter, &pod::ports,
     "C.ports", "ports have numbers, names and protocols that Kubernetes takes"},
    {"pod.probe.two-handlers", kServices, kAlways, kDeny, kStricter, &pod::merged_probe,
     "M.livenessProbe, M.readinessProbe", "a probe of mainContainer does not bring a second handler"},
    {"pod.probe", kPods, kAlways, kDeny, kStricter, &pod::probes,
     "C.livenessProbe, C.readinessProbe, C.startupProbe", "probes have one handler, and numbers in their bounds"},
    {"pod.lifecycle", kPods, kAlways, kDeny, kStricter, &pod::lifecycle,
     "C.lifecycle", "hooks have one handler, and end before the pod does"},
    {"pod.security", kPods, kAlways, kDeny, kStricter, &pod::security,
     "E.securityContext, C.securityContext", "security contexts do not contradict themselves"},
    {"pod.volumes", kPods, kAlways, kDeny, kStricter, &pod::volumes,
     "E.volumes", "volumes have names of their own and one source each"},
    {"pod.labels", kServices, kAlways, kDeny, kStricter, &pod::labels,
     "P.labels, P.annotations, P.extraPodMetadata", "labels and annotations have the form that Kubernetes takes, and leave the operator's alone"},
    {"pod.forbidden-in-template", kPods, kAlways, kDeny, kStricter, &pod::forbidden_in_template,
     "E", "a pod template has nothing that only a pod may have"},
    {"pod.dns", kPods, kAlways, kDeny, kStricter, &pod::dns,
     "E.dnsPolicy, E.dnsConfig, E.hostAliases", "host names and name servers are in their form"},
    {"pod.references", kPods, kAlways, kDeny, kStricter, &pod::references,
     "E.serviceAccountName, E.priorityClassName, E.runtimeClassName", "what a pod names can exist"},
    {"pod.scheduling", kScheduled, kAlways, kDeny, kStricter, &pod::scheduling,
     "E.tolerations, E.affinity, E.nodeSelector, E.topologySpreadConstraints", "where a pod may run is said in a form that Kubernetes takes"},
    {"pod.scheduler.mixed", kGraph, kAlways, kDeny, kStricter, &pod::scheduler_mixed,
     "E.schedulerName", "the services of a graph have one scheduler"},
    {"ckpt.pod-template", kCheckpoints, kAlways, kWarn, kStricter, &pod::checkpoint_template,
     "spec.job.podTemplateSpec.spec.containers", "the first container of a checkpoint's job is the worker, with a GPU"},
});
// clang-format on

}  // namespace

std::span<const Rule> pod_rules() {
  return kRules;
}

}  // namespace dynamo::validators

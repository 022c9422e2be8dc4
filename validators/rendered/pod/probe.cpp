#include <array>

#include "render/document/origin.hpp"
#include "render/document/overlay.hpp"
#include "validators/rendered/pod/handler.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

enum class ProbeKind : unsigned char { kLiveness, kReadiness, kStartup };

// The port with that name, whatever its number.
json::Value find_port(json::Value ports, std::string_view name) {
  for (const json::Value port : ports.elements()) {
    if (port["name"].string_or_empty() == name) return port;
  }
  return {};
}

void check_numbers(ProbeKind kind, const render::Overlay& probe, const FieldPath& path,
                   Report& report) {
  constexpr std::array<std::string_view, 5> kNumbers = {"initialDelaySeconds", "timeoutSeconds",
                                                        "periodSeconds", "successThreshold",
                                                        "failureThreshold"};
  for (const std::string_view name : kNumbers) {
    const auto number = probe[name].value().integer();
    if (number && *number < 0) {
      report.add(ErrorType::kInvalid, path.child(name),
                 "must be 0 or more; found " + std::to_string(*number));
    }
  }
  const auto successes = probe["successThreshold"].value().integer().value_or(1);
  if (kind != ProbeKind::kReadiness && successes > 1) {
    report.add(
        ErrorType::kInvalid, path.child("successThreshold"),
        "must be 1 for liveness and startup; found " + std::to_string(successes) + "; remove it");
  }
  const render::Overlay grace = probe["terminationGracePeriodSeconds"];
  if (grace.is_nothing()) return;
  if (kind == ProbeKind::kReadiness) {
    report.add(ErrorType::kForbidden, path.child("terminationGracePeriodSeconds"),
               "must not be set for readiness, which ends no container; remove it");
  } else if (const auto seconds = grace.value().integer(); seconds && *seconds <= 0) {
    report.add(ErrorType::kInvalid, path.child("terminationGracePeriodSeconds"),
               "must be 1 or more; found " + std::to_string(*seconds));
  }
}

void check_probe(const RenderedPod& pod, const render::Container& container, ProbeKind kind,
                 const render::Probe& probe, Report& report) {
  if (probe.origin.is_generated() || !probe.fields.value().is_object()) return;
  const render::OriginPath at(*pod.path, probe.origin);
  const FieldPath& path = at.path();
  const json::Value user = probe.fields.user();
  const std::size_t handlers = count_handlers(user);
  if (handlers > 1) {
    report.add(
        ErrorType::kForbidden, path,
        "must have one of exec, httpGet, tcpSocket and grpc; found several; remove the others");
  } else if (handlers == 0 && !probe.fields.is_merged() && !has_unknown_member(user)) {
    report.add(ErrorType::kRequired, path,
               "must have one of exec, httpGet, tcpSocket and grpc; found none");
  } else if (!container.is_main() && count_handlers(probe.fields) > 1) {
    report.add(ErrorType::kForbidden, path,
               "must not bring a handler of its own: the operator merges the probe with a "
               "frontend's, which has httpGet, and Kubernetes refuses two; use httpGet");
  }
  check_handlers(probe.fields, path, report);
  check_numbers(kind, probe.fields, path, report);
  const std::string_view port = named_port(render::Overlay(user));
  if (!port.empty() && !find_port(container.ports, port).exists()) {
    report.also_warn(
        path,
        found("must name a port of the container", port, "add it to ports, or give its number"),
        about({port}));
  }
}

// Reports fields of a probe under mainContainer that the operator's merge drops.
void check_merge(const Context& context, const RenderedPod& pod, const render::Probe& probe,
                 Report& report) {
  if (probe.origin.block != render::Block::kMainContainer || !probe.fields.is_merged()) return;
  const json::Value user = probe.fields.user();
  const json::Value base = probe.fields.base();
  constexpr std::string_view kAdvice =
      "; write the whole probe next to extraPodSpec instead: there it replaces the default";
  const std::size_t own = count_handlers(user);
  if (own == 1 && count_handlers(probe.fields) > 1) {
    add_finding_at(
        report, severity_of(OperatorBehaviour::kProbeMerged, context), ErrorType::kForbidden, pod,
        probe.origin,
        "must not bring a handler of its own: first operators merge this probe with the default "
        "one, which has another, and Kubernetes refuses two" +
            std::string(kAdvice));
    return;
  }
  if (own == 0 && !has_unknown_member(user)) {
    add_finding_at(
        report, severity_of(OperatorBehaviour::kProbeWithoutHandler, context), ErrorType::kRequired,
        pod, probe.origin,
        "must have one of exec, httpGet, tcpSocket and grpc: later operators do not take the "
        "default probe's; found none; write the whole probe");
  }
  if (severity_of(OperatorBehaviour::kProbeMerged, context) == Severity::kOff) return;
  const render::Container& main = pod.pod->main();
  for (const std::string_view handler : {"httpGet", "tcpSocket"}) {
    const auto number = user[handler]["port"].integer();
    const std::string_view name = base[handler]["port"].string_or_empty();
    if (!number || name.empty()) continue;
    if (find_port(main.ports, name)["containerPort"].integer() == number) continue;
    // The discriminator includes the number, which the path does not show: another number is
    // another mistake.
    const render::OriginPath at(*pod.path, probe.origin);
    report.also_warn(at.path(),
                     "must not change the port by number: the operator keeps the default port " +
                         quoted(name) + ", and the probe calls on that" + std::string(kAdvice),
                     about({std::to_string(*number), name}));
  }
  for (const auto [name, value] : user.members()) {
    if (value.integer() != 0 || render::is_empty(base[name])) continue;
    warn_at(report, pod, probe.origin.child(name),
            "must not be 0: the operator takes that for not set and keeps the default of " +
                std::to_string(base[name].integer().value_or(0)) + std::string(kAdvice));
  }
}

// Whether an init container keeps running as a sidecar.
bool restarts_always(json::Value container) {
  return container["restartPolicy"].string_or_empty() == "Always";
}

void merged_probe(const Context& context, const RenderedPod& pod, Report& report) {
  const render::Container& main = pod.pod->main();
  if (!main.is_main()) return;
  check_merge(context, pod, main.liveness, report);
  check_merge(context, pod, main.readiness, report);
}

void probes(const Context&, const RenderedPod& pod, Report& report) {
  for_each_container(*pod.pod, [&](const render::Container& container) {
    // Another rule refuses probes of other init containers. The controller of a checkpoint replaces
    // the probes of the first container.
    if (is_init_container(container) && !restarts_always(container.user)) return;
    if (container.block == render::Block::kTemplateContainer && container.index == 0) return;
    check_probe(pod, container, ProbeKind::kLiveness, container.liveness, report);
    check_probe(pod, container, ProbeKind::kReadiness, container.readiness, report);
    check_probe(pod, container, ProbeKind::kStartup, container.startup, report);
  });
}

}  // namespace

extern constexpr Rule kMergedProbeRule{
    .id = "pod.probe.two-handlers",
    .kinds = kinds::kServices,
    .function = &merged_probe,
    .field = "M.livenessProbe, M.readinessProbe",
};

extern constexpr Rule kProbesRule{
    .id = "pod.probe",
    .kinds = kinds::kPods,
    .function = &probes,
    .field = "C.livenessProbe, C.readinessProbe, C.startupProbe",
};

}  // namespace dynamo::validators::pod

// Pods in the host network, and the account by which they discover each other.
#include "render/component/names.hpp"
#include "render/pod/base.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::network {

using api::Context;

namespace {

using api::ErrorType;

void check_host_ports(const RenderedPod& pod, const render::Container& container, Report& report) {
  std::size_t index = 0;
  for (const json::Value port : container.ports.elements()) {
    const render::Origin origin = container.ports_origin.at(index++);
    const auto on_host = port["hostPort"].integer();
    const auto in_container = port["containerPort"].integer();
    if (!on_host || !in_container || *on_host == 0 || *on_host == *in_container) continue;
    add_at(report, ErrorType::kInvalid, pod, origin.child("hostPort"),
           "must be the containerPort, as hostNetwork is true; found " + std::to_string(*on_host) +
               "; remove it");
  }
}

void check_replicas(const RenderedPod& pod, Report& report) {
  const std::int64_t replicas = pod.component->service.effective_replicas();
  if (replicas < 2) return;
  for (const json::Value port : pod.pod->main().ports.elements()) {
    const auto number = port["containerPort"].integer();
    if (!number) continue;
    return warn_at(report, pod, pod.pod->field("hostNetwork"),
                   "must not be true for several pods, unless each has a node of its own: found " +
                       std::to_string(replicas) + " replicas, each with port " +
                       std::to_string(*number) + " of its node");
  }
}

void check_resolving(const RenderedPod& pod, Report& report) {
  constexpr std::string_view kDefault = "ClusterFirst";
  const json::Value policy = pod.pod->user["dnsPolicy"];
  const bool by_default = policy.is_nothing() || policy.string() == "";
  if (!by_default && policy.string_or_empty() != kDefault) return;
  warn_at(
      report, pod, pod.pod->field("dnsPolicy"),
      "must be ClusterFirstWithHostNet when hostNetwork is true, or the pod finds no Service by "
      "its name; found " +
          std::string(by_default ? "none, which means ClusterFirst" : "ClusterFirst"));
}

void host_network(const Context&, const RenderedPod& pod, Report& report) {
  if (!pod.pod->user["hostNetwork"].boolean().value_or(false)) return;
  for (const render::Container& container : pod.pod->containers) {
    if (container.ports_origin.is_generated()) continue;
    check_host_ports(pod, container, report);
  }
  if (pod.pod->main().is_main()) check_replicas(pod, report);
  check_resolving(pod, report);
}

void service_account(const Context&, const RenderedPod& pod, Report& report) {
  const render::Pod& rendered = *pod.pod;
  if (rendered.service_account_origin.is_generated()) return;
  const render::Component& component = *pod.component;
  if (render::discovery_of(component) != render::DiscoveryBackend::kKubernetes) return;
  // The accounts that the operator would choose itself.
  const std::string_view account = rendered.service_account;
  if (render::discovery_account_name(component.graph_name) == account) return;
  if (render::base_of(component.type).service_account == account) return;
  add_at(report, ErrorType::kForbidden, pod, rendered.service_account_origin,
         pod::found("must be an account that may watch endpoints and endpointslices and write "
                    "dynamoworkermetadatas",
                    account, "grant it that, or remove it"));
}

}  // namespace

extern constexpr Rule kHostNetworkRule{
    .id = "net.host-network",
    .kinds = kinds::kPods,
    .function = &host_network,
    .field = "E.hostNetwork, E.dnsPolicy, C.ports",
};

extern constexpr Rule kServiceAccountRule{
    .id = "net.service-account",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &service_account,
    .field = "E.serviceAccountName",
};

}  // namespace dynamo::validators::network

// Where services are reached from outside of the cluster.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "api/field_path.hpp"
#include "json/document.hpp"
#include "render/component/services.hpp"
#include "render/document/name.hpp"
#include "validators/rendered/policy/parameters.hpp"
#include "validators/rendered/policy/words.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::policy {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr std::string_view kParameter = "allowedIngressHosts";

// The author's ingress. An ingress of the operator's configuration is not limited.
json::Value enabled_ingress(const RenderedPod& pod) {
  const json::Value ingress = pod.component->service.value()["ingress"];
  return ingress["enabled"].boolean().value_or(false) ? ingress : json::Value{};
}

// The host that the operator gives to the frontend of a graph without an ingress of its own, as it
// writes it into the component.
bool is_own_host(const render::Component& component, std::string_view host,
                 std::string_view suffix) {
  if (component.in_graph || component.graph_name.empty() || suffix.empty()) return false;
  return render::Name(component.graph_name, ".", suffix) == host;
}

// An entry such as *.example.com allows the names that it matches. A wildcard host takes the names
// of all holders, so only the entry * allows it.
bool allows_any_host(std::span<const std::string> allowed) {
  return std::ranges::find(allowed, "*") != allowed.end();
}

bool is_wildcard(std::string_view host) {
  return host.find('*') != std::string_view::npos;
}

std::string wildcard_refusal(std::string_view host) {
  std::string text = "must be a host without wildcards, as the policy demands; found ";
  text += quoted(host) + ", which takes the names of other holders too; write the name of one host";
  return text.append(", or have the entry * added to ").append(kParameter);
}

std::string another_gateway(std::string_view own, std::string_view found) {
  return "must be the operator's own " + quoted(own) + ", as the policy allows no other; found " +
         quoted(found) + "; remove it, or have it added to allowedIstioGateways";
}

void ingress_host(const Context& context, const RenderedObject& object, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, object.object);
  if (parameters == nullptr || !parameters->allowed_ingress_hosts) return;
  const std::span<const std::string> allowed = *parameters->allowed_ingress_hosts;
  if (allows_any_host(allowed)) return;
  for (const RenderedPod& pod : object.changed_pods()) {
    if (!enabled_ingress(pod).exists()) continue;
    const FieldPath ingress = pod.path->child("ingress");
    const std::string host = render::render_ingress(*pod.component).host.str();
    if (is_wildcard(host)) {
      report.add(ErrorType::kForbidden, ingress.child("host"), wildcard_refusal(host),
                 about({host}));
    } else if (!matches_any(allowed, host) &&
               !is_own_host(*pod.component, host, parameters->own_host_suffix)) {
      report.add(ErrorType::kForbidden, ingress.child("host"), refusal(allowed, kParameter, host),
                 about({host}));
    }
  }
}

void istio_gateway(const Context& context, const RenderedObject& object, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, object.object);
  if (parameters == nullptr) return;
  const std::string_view own = parameters->own_istio_gateway;
  if (!parameters->allowed_istio_gateways && own.empty()) return;
  const std::span<const std::string> allowed =
      parameters->allowed_istio_gateways.value_or(std::span<const std::string>{});
  for (const RenderedPod& pod : object.changed_pods()) {
    const json::Value ingress = enabled_ingress(pod);
    if (!ingress["useVirtualService"].boolean().value_or(false)) continue;
    const std::string_view gateway = ingress["virtualServiceGateway"].string_or_empty();
    if (gateway.empty() || gateway == own || matches_any(allowed, gateway)) continue;
    report.add(ErrorType::kForbidden, pod.path->child("ingress").child("virtualServiceGateway"),
               allowed.empty() && !own.empty() ? another_gateway(own, gateway)
                                               : refusal(allowed, "allowedIstioGateways", gateway));
  }
}

}  // namespace

extern constexpr Rule kIngressHostRule{
    .id = "policy.ingress-host",
    .kinds = kinds::kServices,
    .function = &ingress_host,
    .field = "P.ingress.host",
};

extern constexpr Rule kIstioGatewayRule{
    .id = "policy.istio-gateway",
    .kinds = kinds::kServices,
    .function = &istio_gateway,
    .field = "P.ingress.virtualServiceGateway",
};

}  // namespace dynamo::validators::policy

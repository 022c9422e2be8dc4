#include "manifests/builders.hpp"

#include "json/writer.hpp"
#include "render/component/names.hpp"
#include "render/component/services.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

// The gateway of the component itself; a graph's frontend without `ingress` gets the operator's.
std::string_view gateway_of(const Component& component) {
  const json::Value given =
      (component.reads_hub ? component.alpha : component.service.value())["ingress"];
  if (!given.is_nothing()) return given["virtualServiceGateway"].string_or_empty();
  const auto& configured = component.profile->virtual_service_gateway;
  return configured ? std::string_view(*configured) : std::string_view{};
}

}  // namespace

DesiredObject build_virtual_service(const Component& component, const OwnerMetadata& owner,
                                    Arena& arena) {
  constexpr std::string_view kApiVersion = "networking.istio.io/v1beta1";
  constexpr std::string_view kKind = "VirtualService";
  const std::string_view name = access_name(component).in(arena);
  const RenderedIngress ingress = render_ingress(component);
  if (!ingress.makes_virtual_service) return unwanted_object(kApiVersion, kKind, std::string(name));
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("gateways").start_array().string(gateway_of(component)).end_array();
  out.key("hosts").start_array().string(ingress.host.in(arena)).end_array();
  out.key("http").start_array().start_object();
  out.key("match").start_array().start_object().key("uri").start_object();
  out.member("prefix", "/").end_object().end_object().end_array();
  out.key("route").start_array().start_object().key("destination").start_object();
  out.member("host", name).key("port").start_object().key("number").integer(port::kHttp);
  out.end_object().end_object().end_object().end_array();
  out.end_object().end_array().end_object();
  return make_desired_object({.api_version = kApiVersion,
                              .kind = kKind,
                              .name = name,
                              .namespace_name = component.namespace_name,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render

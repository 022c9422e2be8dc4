#include "manifests/builders.hpp"

#include "json/writer.hpp"
#include "render/component/names.hpp"
#include "render/component/services.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {

DesiredObject build_ingress(const Component& component, const OwnerMetadata& owner,
                            const RenderEnvironment& environment, Arena& arena) {
  constexpr std::string_view kApiVersion = "networking.k8s.io/v1";
  constexpr std::string_view kKind = "Ingress";
  const std::string_view name = access_name(component).in(arena);
  const RenderedIngress ingress = render_ingress(component);
  if (!ingress.makes_ingress) return unwanted_object(kApiVersion, kKind, std::string(name));
  const std::string_view host = ingress.host.in(arena);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().member("ingressClassName", ingress.class_name);
  out.key("rules").start_array().start_object().member("host", host);
  out.key("http").start_object().key("paths").start_array().start_object();
  out.key("backend").start_object().key("service").start_object().member("name", name);
  out.key("port").start_object().key("number").integer(port::kHttp).end_object();
  out.end_object().end_object().member("path", "/").member("pathType", "Prefix");
  out.end_object().end_array().end_object().end_object().end_array();
  if (ingress.tls) {
    out.key("tls").start_array().start_object();
    out.key("hosts").start_array().string(host).end_array();
    if (!ingress.tls_secret.empty()) out.member("secretName", ingress.tls_secret);
    out.end_object().end_array();
  }
  out.end_object();
  std::vector<Label> annotations;
  annotations.reserve(environment.ingress_annotations.size());
  for (const auto& [key, value] : environment.ingress_annotations) {
    annotations.push_back({.key = key, .value = value});
  }
  return make_desired_object({.api_version = kApiVersion,
                              .kind = kKind,
                              .name = name,
                              .namespace_name = component.namespace_name,
                              .annotations = annotations,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render

// External access: an Ingress or an Istio VirtualService.
#include <algorithm>
#include <array>
#include <cassert>

#include "render/component/services.hpp"
#include "validators/content/host_name.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::network {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

bool is_frontend(const RenderedPod& pod) {
  return pod.component->type == render::ComponentType::kFrontend;
}

bool is_set(json::Value ingress, std::string_view field) {
  return ingress[field].boolean().value_or(false);
}

std::string_view text(json::Value ingress, std::string_view field) {
  return ingress[field].string_or_empty();
}

// The name `<prefix><host>.<suffix>`, cut to the capacity.
class Host {
 public:
  explicit Host(json::Value ingress) {
    add(text(ingress, "hostPrefix"));
    add(text(ingress, "host"));
    add(".");
    const json::Value suffix = ingress["hostSuffix"];
    add(suffix.is_nothing() ? "local" : suffix.string_or_empty());
  }

  std::string_view view() const { return {bytes_.data(), std::min(size_, bytes_.size())}; }
  bool is_right() const { return size_ <= bytes_.size() && is_host_name(view()); }

 private:
  void add(std::string_view piece) {
    const std::size_t room = bytes_.size() - std::min(size_, bytes_.size());
    std::ranges::copy(piece.substr(0, room), bytes_.data() + (bytes_.size() - room));
    size_ += piece.size();
  }

  std::array<char, 256> bytes_{};  // more than a name may have
  std::size_t size_ = 0;
};

// Whether the ingress is certain to be used as written. Grove reads it only for frontends. The
// operator writes the components of a graph and fills in fields from its configuration.
bool is_certain(const RenderedPod& pod) {
  const render::Component& component = *pod.component;
  if (!component.in_graph && !component.graph_name.empty()) return false;
  return is_frontend(pod) || render::workload_of(component) != render::Workload::kUnknown;
}

// The field that makes the name invalid, otherwise the host's.
std::string_view invalid_field(json::Value ingress) {
  const json::Value suffix = ingress["hostSuffix"];
  if (!suffix.is_nothing() && suffix.string_or_empty().empty()) return "hostSuffix";
  const auto is_wrong = [](char c) {
    return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != '*';
  };
  for (const std::string_view field : {"hostPrefix", "host", "hostSuffix"}) {
    if (std::ranges::any_of(text(ingress, field), is_wrong)) return field;
  }
  return "host";
}

void check_content(json::Value ingress, const FieldPath& path, Report& report) {
  for (const std::string_view field : {"annotations", "labels"}) {
    if (ingress[field].size() == 0) continue;
    report.add(ErrorType::kForbidden, path.child(field),
               "must be empty, as the operator copies none of them; remove it, or make the Ingress "
               "yourself");
  }
  const json::Value tls = ingress["tls"];
  if (!tls.is_object() || !text(tls, "secretName").empty()) return;
  const FieldPath at = path.child("tls");
  report.add(ErrorType::kRequired, at.child("secretName"),
             "must name the Secret with the certificate; found none, so the Ingress controller "
             "takes one of its own; name one, or remove tls");
}

void ingress_host(const Context&, const RenderedPod& pod, Report& report) {
  const json::Value ingress = pod.component->service.value()["ingress"];
  // Another rule reports a missing host.
  if (!ingress.is_object() || text(ingress, "host").empty()) return;
  const render::RenderedIngress rendered = render::render_ingress(*pod.component);
  if (!rendered.makes_ingress && !rendered.makes_virtual_service) return;
  const FieldPath path = pod.path->child("ingress");
  const Host host(ingress);
  if (!host.is_right()) {
    const bool proven = rendered.makes_ingress && is_certain(pod);
    const FieldPath at = path.child(invalid_field(ingress));
    return add_finding(
        report, proven, ErrorType::kInvalid, at,
        pod::found("must make a DNS name in lower case, of at most 253 bytes, out of "
                   "hostPrefix, host, '.' and hostSuffix",
                   host.view()));
  }
  assert(rendered.host == host.view());
  if (!ingress["hostSuffix"].is_nothing()) return;
  if (text(ingress, "host").find('.') == std::string_view::npos) return;
  report.also_warn(path.child("host"),
                   pod::found("must be a name without dots where there is no hostSuffix, as "
                              "\".local\" is appended then",
                              host.view(), "set hostSuffix to what stands behind the first dot"));
}

void ingress_no_effect(const Context&, const RenderedPod& pod, Report& report) {
  const json::Value ingress = pod.component->service.value()["ingress"];
  if (!is_set(ingress, "enabled")) return;
  const FieldPath path = pod.path->child("ingress");
  if (!is_frontend(pod)) {
    return report.add(ErrorType::kForbidden, path,
                      "must be enabled for componentType frontend only: it leads to port 8000, "
                      "which the Services of other components do not have; remove it");
  }
  const bool by_class = !text(ingress, "ingressControllerClassName").empty();
  const bool by_gateway =
      is_set(ingress, "useVirtualService") && !text(ingress, "virtualServiceGateway").empty();
  if (!by_class && !by_gateway) {
    return report.add(ErrorType::kRequired, path,
                      "must give ingressControllerClassName, or useVirtualService and "
                      "virtualServiceGateway; found neither, so nothing is made");
  }
  check_content(ingress, path, report);
}

}  // namespace

extern constexpr Rule kIngressHostRule{
    .id = "net.ingress.host",
    .kinds = kinds::kServices,
    .function = &ingress_host,
    .field = "P.ingress.host, P.ingress.hostPrefix, P.ingress.hostSuffix",
};

extern constexpr Rule kIngressNoEffectRule{
    .id = "net.ingress.no-effect",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &ingress_no_effect,
    .field = "P.ingress",
};

}  // namespace dynamo::validators::network

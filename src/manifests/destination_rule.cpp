#include <string>
#include <string_view>

#include "json/writer.hpp"
#include "manifests/hub_builders.hpp"
#include "render/component/names.hpp"

namespace dynamo::render {
namespace {

// As Istio writes it.
std::string_view mode_name(PickerTls mode) {
  switch (mode) {
    case PickerTls::kNoRule:
      break;
    case PickerTls::kDisable:
      return "DISABLE";
    case PickerTls::kSimple:
      return "SIMPLE";
    case PickerTls::kMutual:
      return "MUTUAL";
    case PickerTls::kIstioMutual:
      return "ISTIO_MUTUAL";
  }
  return {};
}

}  // namespace

DesiredObject build_destination_rule(const Component& picker, const OwnerMetadata& owner,
                                     const RenderEnvironment& environment, Arena& arena) {
  const std::string_view service = access_name(picker).in(arena);
  std::string host(service);
  host.append(".").append(picker.namespace_name).append(".svc.cluster.local");
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().member("host", host).key("trafficPolicy").start_object().key("tls");
  out.start_object().key("insecureSkipVerify").boolean(environment.picker_tls_skips_verification);
  out.member("mode", mode_name(environment.picker_tls)).end_object().end_object().end_object();
  return make_desired_object({.api_version = "networking.istio.io/v1beta1",
                              .kind = "DestinationRule",
                              .name = service,
                              .namespace_name = picker.namespace_name,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render

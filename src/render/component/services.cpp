#include "render/component/services.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::size_t kMaxServices = 4;
constexpr std::string_view kDefaultSuffix = "local";

bool through_grove(Workload workload) {
  return workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
}

std::string_view text(json::Value object, std::string_view name) {
  return object[name].string_or_empty();
}

// A standalone component must set its Dynamo namespace itself.
std::string_view selected_namespace(const Component& component, Arena& arena) {
  if (component.in_graph) return dynamo_namespace(component).in(arena);
  return component.service.dynamo_namespace();
}

std::span<const Label> selector_of(const Component& component, bool debugging, Arena& arena) {
  constexpr std::size_t kMax = 5;
  ArenaList<Label> labels(arena, kMax);
  const auto in_service = [](std::string_view field) { return origin_in(Block::kService, field); };
  // Sorted by key.
  labels.push({.key = label::kComponent,
               .value = component.service_name,
               .origin = component.in_graph ? Origin{} : in_service("serviceName")});
  labels.push({.key = label::kComponentType,
               .value = component.type_name,
               .origin = in_service("componentType")});
  if (debugging) labels.push({.key = label::kTargetType, .value = "debug"});
  labels.push({.key = label::kDynamoNamespace,
               .value = selected_namespace(component, arena),
               .origin = component.in_graph ? Origin{} : in_service("dynamoNamespace")});
  // The leader serves for all nodes. The operator writes this selector also for several nodes in
  // one Deployment.
  const Workload workload = workload_of(component);
  if (workload == Workload::kLeaderWorkerSet || runs_alone(component)) {
    labels.push({.key = label::kRole, .value = "leader"});
  }
  return labels.items();
}

RenderedService model_service(std::string_view model, Arena& arena) {
  const std::string_view hash = arena.join({base_model_hash(model).view()});
  ArenaList<Label> selector(arena, 1);
  selector.push({.key = label::kBaseModelHash,
                 .value = hash,
                 .origin = origin_in(Block::kService, "modelRef.name")});
  return {.name = model_service_name(hash),
          .headless = true,
          .selector = selector.items(),
          .port = {"system", port::kSystem}};
}

std::string_view known(const std::optional<std::string>& configured) {
  return configured ? std::string_view(*configured) : std::string_view{};
}

RenderedIngress default_ingress(const Component& component) {
  RenderedIngress ingress;
  if (component.type != ComponentType::kFrontend || !component.in_graph) return ingress;
  const Profile& profile = *component.profile;
  ingress.certain = profile.ingress_class && profile.virtual_service_gateway;
  ingress.class_name = known(profile.ingress_class);
  ingress.tls_secret = known(profile.ingress_tls_secret);
  ingress.tls = !ingress.tls_secret.empty();
  ingress.makes_ingress = !ingress.class_name.empty();
  ingress.makes_virtual_service = !known(profile.virtual_service_gateway).empty();
  ingress.enabled = ingress.makes_ingress || ingress.makes_virtual_service;
  const std::string_view suffix = known(profile.ingress_host_suffix);
  ingress.host =
      Name(component.graph_name).with(".").with(suffix.empty() ? kDefaultSuffix : suffix);
  ingress.host_certain = profile.ingress_host_suffix.has_value();
  return ingress;
}

}  // namespace

ServicePort service_port(const Component& component) {
  if (component.type == ComponentType::kFrontend) return {"http", port::kHttp};
  if (component.type == ComponentType::kEndpointPicker) return {"grpc", port::kGrpc};
  return {"system", port::kSystem};
}

std::span<const RenderedService> render_services(const Component& component, Arena& arena) {
  ArenaList<RenderedService> services(arena, kMaxServices);
  const Workload workload = workload_of(component);
  const DiscoveryBackend discovery = discovery_of(component);
  const bool frontend = component.type == ComponentType::kFrontend;
  const bool for_discovery = discovery == DiscoveryBackend::kKubernetes;
  const auto add = [&](const Name& name, bool debugging, bool certain) {
    services.push({.name = name,
                   .certain = certain,
                   .selector = selector_of(component, debugging, arena),
                   .port = service_port(component)});
  };
  const bool known = workload != Workload::kUnknown;
  if (through_grove(workload)) {
    if (frontend || for_discovery || discovery == DiscoveryBackend::kUnknown) {
      add(component_name(component), false, frontend || for_discovery);
    }
  } else if (workload != Workload::kNone) {
    const bool stealing = steals_traffic(component);
    // On every pathway a frontend has one, and so does a component that is discovered through
    // Kubernetes.
    add(component_name(component), false, known || frontend || for_discovery);
    const bool may_have_twins =
        frontend || stealing || for_discovery || discovery == DiscoveryBackend::kUnknown;
    if (may_have_twins && !component.has_later_operator()) {
      const bool certain = known && (frontend || stealing || for_discovery);
      add(production_service_name(component), false, certain);
      add(debug_name(component), true, certain);
    }
  }
  const std::string_view model = text(component.service.value()["modelRef"], "name");
  if (!model.empty()) services.push(model_service(model, arena));
  return services.items();
}

RenderedIngress render_ingress(const Component& component) {
  const json::Value given =
      (component.reads_hub ? component.alpha : component.service.value())["ingress"];
  if (given.is_nothing()) return default_ingress(component);
  const auto flag = [&](std::string_view name) { return given[name].boolean().value_or(false); };
  RenderedIngress ingress{.enabled = flag("enabled"),
                          .class_name = text(given, "ingressControllerClassName"),
                          .tls = given["tls"].is_object(),
                          .tls_secret = text(given["tls"], "secretName"),
                          .origin = origin_in(Block::kService, "ingress")};
  const Name host = Name(text(given, "hostPrefix")).with(text(given, "host")).with(".");
  if (const json::Value suffix = given["hostSuffix"]; !suffix.is_nothing()) {
    ingress.host = host.with(suffix.string_or_empty());
  } else {
    ingress.host = host.with(kDefaultSuffix);
  }
  // Grove reads it only for frontends.
  const bool looked_at =
      component.type == ComponentType::kFrontend || !through_grove(workload_of(component));
  if (!ingress.enabled || !looked_at) return ingress;
  ingress.makes_ingress = !ingress.class_name.empty();
  ingress.makes_virtual_service =
      flag("useVirtualService") && !text(given, "virtualServiceGateway").empty();
  ingress.certain = !ingress.makes_virtual_service || component.profile->virtual_service_gateway;
  // Only an operator with a configured gateway reads VirtualServices.
  if (component.profile->virtual_service_gateway == "") ingress.makes_virtual_service = false;
  return ingress;
}

}  // namespace dynamo::render

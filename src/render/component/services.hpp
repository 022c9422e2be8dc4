// The Services of a component's pods, and the component's external access.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/component/labels.hpp"
#include "render/document/arena.hpp"
#include "render/document/name.hpp"

namespace dynamo::render {

struct ServicePort {
  std::string_view name = {};  // of the port and of the container's target port
  std::int64_t number = 0;
};

// The component's only port, by component type.
ServicePort service_port(const Component& component);

// A Service to create.
struct RenderedService {
  Name name = {};
  bool headless = false;
  bool certain = true;                   // false if it depends on unknown facts
  std::span<const Label> selector = {};  // sorted by key
  ServicePort port = {};
};

// In order: the component's own Service, that of production traffic, that for debugging, and the
// model's. Pathway, discovery and type decide which of them exist.
std::span<const RenderedService> render_services(const Component& component, Arena& arena);

// The external access of a component. A frontend of a graph without `ingress` gets the one of the
// operator's configuration.
struct RenderedIngress {
  bool enabled = false;
  bool certain = true;       // false if the result depends on the operator
  Name host = {};            // `<prefix><host>.<suffix>`
  bool host_certain = true;  // false if the suffix is the operator's and unknown
  std::string_view class_name = {};
  bool tls = false;
  std::string_view tls_secret = {};  // "" if the ingress controller has its own
  bool makes_ingress = false;
  bool makes_virtual_service = false;
  Origin origin = {};  // the service's `ingress`, or generated
};

RenderedIngress render_ingress(const Component& component);

}  // namespace dynamo::render

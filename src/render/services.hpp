// The Services in front of a component's pods, and its way in from outside.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/component.hpp"
#include "render/labels.hpp"
#include "render/name.hpp"

namespace dynamo::render {

struct ServicePort {
  std::string_view name = {};  // of the port and of the container's port that it leads to
  std::int64_t number = 0;
};

// The one port, by component type.
ServicePort service_port(const Component& component);

// A Service to be created.
struct RenderedService {
  Name name = {};
  bool headless = false;
  bool certain = true;                   // false when it depends on what is not known
  std::span<const Label> selector = {};  // sorted by key
  ServicePort port = {};
};

// In order: the component's own, that of production traffic, that for debugging, and the model's.
// Which of them there are depends on pathway, discovery and type.
std::span<const RenderedService> render_services(const Component& component, Arena& arena);

// How a component is reached from outside. A service of a graph that is a frontend and gives no
// `ingress` has one by the operator's configuration.
struct RenderedIngress {
  bool enabled = false;
  bool certain = true;       // false when it depends on the operator what becomes of it
  Name host = {};            // `<prefix><host>.<suffix>`
  bool host_certain = true;  // false when the suffix is the operator's and not known
  std::string_view class_name = {};
  bool tls = false;
  std::string_view tls_secret = {};  // "" where the controller of Ingresses has one of its own
  bool makes_ingress = false;
  bool makes_virtual_service = false;
  Origin origin = {};  // the service's `ingress`, or generated
};

RenderedIngress render_ingress(const Component& component);

}  // namespace dynamo::render

// The port on which a component listens, and the port that the operator's defaults use to reach it.
#include <array>
#include <optional>

#include "render/component/services.hpp"
#include "validators/content/container_syntax.hpp"
#include "validators/content/whole_number.hpp"
#include "validators/rendered/command_words.hpp"
#include "validators/rendered/pod/handler.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::network {

using api::Context;

namespace {

using api::ErrorType;
using render::Container;

// Whether the defaults use the port's name; an endpoint picker is called by number.
bool is_reached_by_name(const render::Component& component) {
  return component.type == render::ComponentType::kFrontend ||
         render::is_worker_like(component.type);
}

struct FoundPort {
  json::Value port = {};  // absent if there is none
  std::size_t index = 0;

  bool exists() const { return port.exists(); }
};

// The first port with that name.
FoundPort find_port(json::Value ports, std::string_view name) {
  std::size_t index = 0;
  for (const json::Value port : ports.elements()) {
    if (port["name"].string_or_empty() == name) return {port, index};
    ++index;
  }
  return {};
}

// Whether the probe is the default one or keeps its target. Rules for probes check a user's own
// target.
bool is_probed(const Container& main, std::string_view name) {
  const auto calls = [&](const render::Probe& probe) {
    return pod::named_port(probe.fields) == name &&
           pod::named_port(render::Overlay(probe.fields.user())).empty();
  };
  return calls(main.liveness) || calls(main.readiness) || calls(main.startup);
}

// The container that a frontend's Service targets: Kubernetes takes the first one with a port of
// that name. Null if there is none.
const Container* container_of_service(const render::Pod& pod, std::string_view name) {
  for (const std::span<const Container> list : {pod.containers, pod.init_containers}) {
    for (const Container& container : list) {
      if (find_port(container.ports, name).exists()) return &container;
    }
  }
  return nullptr;
}

bool is_frontend(const RenderedPod& pod) {
  return pod.component->type == render::ComponentType::kFrontend;
}

// The parts of the operator that call the main container by the name of its port.
struct PortCallers {
  bool service = false;
  bool probes = false;

  bool none() const { return !service && !probes; }
  std::string_view names() const {
    if (!service) return "the default probes";
    return probes ? "the Service and the default probes" : "the Service";
  }
};

// An entry of a list of ports.
std::string entry(const render::ServicePort& port, std::int64_t number) {
  return "{name: " + std::string(port.name) + ", containerPort: " + std::to_string(number) + "}";
}

// The listening port as far as the user sets it.
struct ListeningPort {
  std::optional<std::int64_t> port = std::nullopt;  // nullopt: the default
  bool known = true;                                // false: only the kubelet or a shell knows it
  bool off = false;
  std::string_view by = {};  // the flag or the variable that sets it
  render::Origin origin = {};
};

std::string_view port_variable(const RenderedPod& pod) {
  return is_frontend(pod) ? "DYN_HTTP_PORT" : "DYN_SYSTEM_PORT";
}

render::Origin command_line(const Container& main) {
  return main.args.origin.is_generated() ? main.command.origin : main.args.origin;
}

bool is_off(std::string_view text) {
  constexpr std::array<std::string_view, 4> kNo = {"false", "0", "no", "off"};
  return std::ranges::any_of(
      kNo, [&](std::string_view word) { return pod::are_equal_ignoring_case(text, word); });
}

// A port that the user gives as text.
ListeningPort at_port(std::string_view text, std::string_view by, const render::Origin& origin) {
  const auto number = parse_whole_number(text);
  return {.port = number, .known = number.has_value(), .by = by, .origin = origin};
}

ListeningPort listening_port_of(const RenderedPod& pod) {
  const Container& main = pod.pod->main();
  if (is_frontend(pod)) {
    constexpr std::string_view kFlag = "--http-port";
    const CommandFlag flag = find_flags<1>(main, {kFlag})[0];
    if (flag.given) return at_port(flag.value, kFlag, command_line(main));
  }
  const std::string_view name = port_variable(pod);
  ListeningPort result;
  for (const render::Variable& variable : main.variables) {
    if (!variable.definition.exists()) continue;
    if (variable.name == name) {
      result = at_port(variable.literal(), name, variable.origin);
    } else if (!is_frontend(pod) && variable.name == "DYN_SYSTEM_ENABLED" &&
               is_off(variable.literal())) {
      return {.off = true, .origin = variable.origin};
    }
  }
  return result;
}

// Whether the command line runs a program that reads the port from the known places, and does not
// visibly set it.
bool listens_by_default(const RenderedPod& pod) {
  const Container& main = pod.pod->main();
  if (has_computed_words(main)) return false;
  if (is_frontend(pod)) {
    return mentions(main, {"dynamo.frontend"}) && !mentions(main, {"HTTP_PORT", "http-port"});
  }
  return pod.pod->backend.detected != render::Framework::kNoop && !mentions(main, {"SYSTEM_PORT"});
}

// The number of the user's port with that name, and its field for a report.
struct DeclaredPort {
  std::int64_t number = 0;
  render::Origin origin = {};  // generated: the default's
};

std::optional<DeclaredPort> declared_port(const Container& main, const render::ServicePort& port) {
  if (main.ports_origin.is_generated()) return DeclaredPort{.number = port.number};
  const FoundPort found = find_port(main.ports, port.name);
  const auto number = found.port["containerPort"].integer();
  if (!number) return std::nullopt;
  return DeclaredPort{*number, main.ports_origin.at(found.index).child("containerPort")};
}

bool has_port_in_another_case(json::Value ports, std::string_view name) {
  for (const json::Value port : ports.elements()) {
    if (pod::are_equal_ignoring_case(port["name"].string_or_empty(), name)) return true;
  }
  return false;
}

// The callers if a port with that name exists.
PortCallers callers_of(const RenderedPod& pod, std::string_view name) {
  const Container& main = pod.pod->main();
  return {.service = is_frontend(pod) && container_of_service(*pod.pod, name) == &main,
          .probes = is_probed(main, name)};
}

void named_port_lost(const Context&, const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  if (!main.is_main() || main.ports_origin.is_generated()) return;
  if (!is_reached_by_name(*pod.component)) return;
  const render::ServicePort port = render::service_port(*pod.component);
  if (find_port(main.ports, port.name).exists()) return;
  // pod.ports reports a name in another case.
  if (has_port_in_another_case(main.ports, port.name)) return;
  const PortCallers callers{
      .service = is_frontend(pod) && container_of_service(*pod.pod, port.name) == nullptr,
      .probes = is_probed(main, port.name)};
  if (callers.none()) return;
  std::string text = "must list port " + quoted(port.name);
  text.append(", which is called by name by ").append(callers.names());
  text += "; found a list without it in place of the default one; add " +
          entry(port, listening_port_of(pod).port.value_or(port.number));
  add_at(report, ErrorType::kRequired, pod, main.ports_origin, std::move(text), about({port.name}));
}

void port_moved(const Context&, const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  if (!main.is_main() || !is_reached_by_name(*pod.component)) return;
  const ListeningPort listening = listening_port_of(pod);
  const bool moved_by_default = !listening.off && !listening.port;
  // The user sets the port neither here nor in the ports.
  if (!listening.known || (moved_by_default && main.ports_origin.is_generated())) return;
  const render::ServicePort port = render::service_port(*pod.component);
  const auto declared = declared_port(main, port);
  // pod.ports reports a number that is not a port.
  if (!declared || !is_port_number(declared->number) || listening.port == declared->number) return;
  const PortCallers callers = callers_of(pod, port.name);
  if (callers.none()) return;
  if (listening.off) {
    return add_at(report, ErrorType::kInvalid, pod, listening.origin,
                  "must not switch off what the default probes call; remove DYN_SYSTEM_ENABLED, or "
                  "write livenessProbe and readinessProbe next to extraPodSpec, and "
                  "mainContainer.startupProbe");
  }
  std::string text = "must ";
  if (listening.port) {
    text.append("set ").append(listening.by).append(" to ") += std::to_string(declared->number);
    text.append(", the port that is called by ").append(callers.names()).append("; found ") +=
        std::to_string(*listening.port);
    if (is_port_number(*listening.port)) {
      text += "; list " + entry(port, *listening.port) + " in mainContainer.ports as well";
    }
    return add_at(report, ErrorType::kInvalid, pod, listening.origin, std::move(text),
                  about({std::to_string(*listening.port)}));
  }
  if (declared->number == port.number || !listens_by_default(pod)) return;
  text +=
      "be " + std::to_string(port.number) + ", on which the container listens, as it is called by ";
  text.append(callers.names()).append("; found ") += std::to_string(declared->number);
  text.append("; set ").append(port_variable(pod)) += " to that as well";
  add_at(report, ErrorType::kInvalid, pod, declared->origin, std::move(text));
}

}  // namespace

extern constexpr Rule kNamedPortLostRule{
    .id = "net.port.named-lost",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &named_port_lost,
    .field = "M.ports",
};

extern constexpr Rule kPortMovedRule{
    .id = "net.port.moved",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &port_moved,
    .field = "M.args, M.ports, M.env, P.envs",
};

}  // namespace dynamo::validators::network

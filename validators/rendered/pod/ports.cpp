#include <array>

#include "validators/content/container_syntax.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;

constexpr std::array<std::string_view, 3> kProtocols = {"TCP", "UDP", "SCTP"};

void check_number(json::Value number, std::string_view field, const RenderedPod& pod,
                  const render::Origin& origin, Report& report) {
  const auto value = number.integer();
  if (!value || is_port_number(*value)) return;
  add_at(report, ErrorType::kInvalid, pod, origin.child(field),
         "must be between 1 and 65535; found " + std::to_string(*value));
}

void check_port(json::Value port, const RenderedPod& pod, const render::Origin& origin,
                Report& report) {
  check_number(port["containerPort"], "containerPort", pod, origin, report);
  if (port["hostPort"].integer() != 0) {
    check_number(port["hostPort"], "hostPort", pod, origin, report);
  }
  const std::string_view name = port["name"].string_or_empty();
  if (!name.empty() && !is_port_name(name)) {
    add_at(report, ErrorType::kInvalid, pod, origin.child("name"),
           found("must be at most 15 lower case letters, digits and single '-', one of them a "
                 "letter",
                 name, "rename it"));
  }
  const std::string_view protocol = port["protocol"].string_or_empty();
  const std::string_view suggestion = value_in_other_case(protocol, kProtocols);
  if (!suggestion.empty()) {
    add_at(report, ErrorType::kNotSupported, pod, origin.child("protocol"),
           found("must be " + quoted(suggestion), protocol));
  }
}

// Fixed capacity, well above realistic lists; further ports are not compared.
constexpr std::size_t kMaxPorts = 64;
constexpr std::size_t kMaxHostPorts = 32;

void check_repeated_names(const render::Container& container, const RenderedPod& pod,
                          Report& report) {
  std::array<std::string_view, kMaxPorts> names;
  std::size_t count = 0;
  for (const json::Value port : container.ports.elements()) {
    if (count == kMaxPorts) break;
    names[count++] = port["name"].string_or_empty();
  }
  for_each_repeated(
      count, [&](std::size_t at) { return names[at]; },
      [&](std::size_t at, std::size_t) {
        add_at(report, ErrorType::kDuplicate, pod, container.ports_origin.at(at).child("name"),
               found("must be unique in the container", names[at], "rename one of the two"));
      });
}

struct HostPort {
  std::int64_t number = 0;
  std::string_view protocol;
  std::string_view address;
  bool operator==(const HostPort&) const = default;
};

// The host ports of all containers that run together.
class HostPorts {
 public:
  // In the host network each port of a container is a port of the node.
  explicit HostPorts(bool host_network) : host_network_(host_network) {}

  // The user cannot change the operator's ports: they come first and are not reported.
  void add_generated(const render::Container& container) {
    for (const json::Value port : container.ports.elements()) {
      const std::int64_t number = number_of(port);
      if (number == 0 || count_ == kMaxHostPorts) continue;
      taken_[count_++] = host_port_of(port, number);
    }
  }

  void add(const render::Container& container, const RenderedPod& pod, Report& report) {
    std::size_t index = 0;
    for (const json::Value port : container.ports.elements()) {
      const std::size_t at = index++;
      const std::int64_t number = number_of(port);
      if (number == 0 || count_ == kMaxHostPorts) continue;
      const HostPort found = host_port_of(port, number);
      const auto last = taken_.begin() + static_cast<std::ptrdiff_t>(count_);
      if (std::find(taken_.begin(), last, found) != last) {
        const std::int64_t given = host_port_number(port);
        const std::string why = given == 0 ? ", as hostNetwork is true" : "";
        add_at(report, ErrorType::kDuplicate, pod,
               container.ports_origin.at(at).child(given == 0 ? "containerPort" : "hostPort"),
               "must be unique in the pod for its protocol and hostIP" + why + "; found " +
                   std::to_string(number) + " twice; change one of the two");
      }
      taken_[count_++] = found;
    }
  }

 private:
  static std::int64_t host_port_number(json::Value port) {
    return port["hostPort"].integer().value_or(0);
  }
  // 0: none.
  std::int64_t number_of(json::Value port) const {
    const std::int64_t given = host_port_number(port);
    if (given != 0 || !host_network_) return given;
    return port["containerPort"].integer().value_or(0);
  }
  static HostPort host_port_of(json::Value port, std::int64_t number) {
    const std::string_view protocol = port["protocol"].string_or_empty();
    return {number, protocol.empty() ? kProtocols[0] : protocol, port["hostIP"].string_or_empty()};
  }

  const bool host_network_;
  std::array<HostPort, kMaxHostPorts> taken_;
  std::size_t count_ = 0;
};

void ports(const Context&, const RenderedPod& pod, Report& report) {
  HostPorts host_ports(pod.pod->user["hostNetwork"].boolean().value_or(false));
  for_each_container(*pod.pod, [&](const render::Container& container) {
    const bool runs_along = container.ports_origin.is_generated() && !is_init_container(container);
    if (runs_along) host_ports.add_generated(container);
  });
  for_each_container(*pod.pod, [&](const render::Container& container) {
    if (container.ports_origin.is_generated() || list_size(container.ports) == 0) return;
    std::size_t index = 0;
    for (const json::Value port : container.ports.elements()) {
      check_port(port, pod, container.ports_origin.at(index++), report);
    }
    check_repeated_names(container, pod, report);
    if (!is_init_container(container)) host_ports.add(container, pod, report);
  });
}

}  // namespace

extern constexpr Rule kPortsRule{
    .id = "pod.ports",
    .kinds = kinds::kPods,
    .function = &ports,
    .field = "C.ports",
};

}  // namespace dynamo::validators::pod

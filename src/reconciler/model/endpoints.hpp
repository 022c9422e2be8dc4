// The inference servers of a base model, out of its EndpointSlices. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::uint16_t kSystemPort = 9090;
// What a status can list below the API server's limit for an object.
inline constexpr std::size_t kMostEndpoints = 5'000;

struct Endpoint {
  std::string host = {};  // as the slice has it, IPv6 without brackets
  std::string url = {};   // "http://10.0.0.1:9090", "http://[fd00::1]:9090"
  std::string pod = {};
  bool operator==(const Endpoint&) const = default;
};

struct Endpoints {
  // Slices in their order, then endpoints, then addresses. Only those of pods; a pod's address that
  // several slices name (one for each Service that selects the pod) is there once.
  std::vector<Endpoint> all = {};
  bool is_cut = false;       // there were more than kMostEndpoints
  bool has_service = false;  // some slice belongs to a Service
};

// Whether an endpoint is ready is not asked: a server loads adapters before it is ready. Neither
// are the slices' ports: the system port is the same everywhere, and the slice of another Service
// of the pod has another one.
Endpoints endpoints_of(std::span<const kube::Object> slices, std::uint16_t port);

// By their name: "http://HOST:PORT".
std::string url_of(std::string_view host, std::uint16_t port);

}  // namespace dynamo::reconciler::model

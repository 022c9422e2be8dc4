// Extracts the inference servers of a base model from its EndpointSlices. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object/object.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::uint16_t kSystemPort = 9090;
// The most endpoints that a status can list within the API server's object size limit.
inline constexpr std::size_t kMaxEndpoints = 5'000;

struct Endpoint {
  std::string host = {};  // as in the slice, IPv6 without brackets
  std::string url = {};   // "http://10.0.0.1:9090", "http://[fd00::1]:9090"
  std::string pod = {};
  bool operator==(const Endpoint&) const = default;
};

struct Endpoints {
  // In the order of slices, endpoints, addresses. Includes pods only. A pod's address that several
  // slices contain (one for each Service that selects the pod) is listed once.
  std::vector<Endpoint> all = {};
  bool is_cut = false;       // there were more than kMaxEndpoints
  bool has_service = false;  // some slice belongs to a Service
};

// Ignores the readiness of endpoints: a server loads adapters before it is ready. Ignores the ports
// of the slices, too: the system port is the same everywhere, and slices of other Services of the
// pod have other ports.
Endpoints endpoints_of(std::span<const kube::Object> slices, std::uint16_t port);

// "http://HOST:PORT", also for host names.
std::string url_of(std::string_view host, std::uint16_t port);

}  // namespace dynamo::reconciler::model

// The endpoints of a Service: which exist, and how the doctor probes them.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "doctor/evidence.hpp"

namespace dynamo::doctor {

// The doctor's client name to API servers and endpoints.
inline constexpr std::string_view kDoctorName = "dynamo-doctor";

// Per Service; further endpoints are not probed.
inline constexpr std::size_t kMaxEndpointsAsked = 16;

// The ready endpoints of the Service's slices, each with the port that is called. An endpoint
// without readiness counts as ready, as the API defines it. A pod in several slices, such as one
// with addresses of both families, counts once, with its address of the Service's first family.
std::vector<ServiceEndpoint> ready_endpoints(const ServiceEvidence& service);

struct AskOptions {
  AskOptions() = default;
  std::string server_name;
  std::chrono::milliseconds reach{};  // for one endpoint
  // No probe starts after this time.
  std::chrono::steady_clock::time_point end;
  // The wall-clock time at `began`.
  TimePoint now;
  std::chrono::steady_clock::time_point began;
};

// Performs TLS handshakes with as many of `endpoints` as allowed, four at a time, and returns them
// with the results.
aio::Task<std::vector<ServiceEndpoint>> ask(std::vector<ServiceEndpoint> endpoints,
                                            AskOptions options);

}  // namespace dynamo::doctor

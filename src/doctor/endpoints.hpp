// The endpoints behind a Service: which there are, and how they are asked.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "doctor/evidence.hpp"

namespace dynamo::doctor {

// As whom the doctor asks API servers and endpoints.
inline constexpr std::string_view kDoctorName = "dynamo-doctor";

// Of one Service; what is beyond it is not asked.
inline constexpr std::size_t kMostEndpointsAsked = 16;

// The ready endpoints of the Service's slices, each with the port that is called. One whose
// readiness is not said is ready, as the API defines it. A pod that stands in several slices, as
// one with addresses of both families does, counts once, with its address of the Service's first
// family.
std::vector<Endpoint> ready_endpoints(const ServiceEvidence& service);

struct AskOptions {
  AskOptions() = default;
  std::string server_name;
  std::chrono::milliseconds reach{};  // for one endpoint
  // When the last one is begun with.
  std::chrono::steady_clock::time_point end;
  // The time by our clock, for which `began` is when.
  TimePoint now;
  std::chrono::steady_clock::time_point began;
};

// Shakes hands with as many of `endpoints` as may be asked, four at a time, and answers them with
// what they showed.
aio::Task<std::vector<Endpoint>> ask(std::vector<Endpoint> endpoints, AskOptions options);

}  // namespace dynamo::doctor

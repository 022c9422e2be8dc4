// Checks of the way from the API server to the webhook: Service, endpoints, trust.
#pragma once

#include <chrono>

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// A certificate that ends within this should have been renewed.
inline constexpr std::chrono::days kEndsSoon{14};

void service_present(const Evidence& evidence, Findings& findings);
void endpoints_ready(const Evidence& evidence, Findings& findings);
void ca_bundle_valid(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor

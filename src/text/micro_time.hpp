// metav1.MicroTime, the time format of Leases.
#pragma once

#include <chrono>
#include <string>

namespace dynamo::text {

// "2026-11-21T14:30:00.000000Z": the API server requires exactly six digits.
std::string format_micro_time(std::chrono::system_clock::time_point time);

}  // namespace dynamo::text

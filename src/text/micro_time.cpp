#include "text/micro_time.hpp"

#include <array>
#include <cstdio>

#include "text/timestamp.hpp"

namespace dynamo::text {

std::string format_micro_time(std::chrono::system_clock::time_point time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(time - second);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ", static_cast<int>(rest.count()));
  std::string text = format_timestamp(second);
  text.pop_back();  // Z
  return text + fraction.data();
}

}  // namespace dynamo::text

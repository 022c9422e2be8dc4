#include "cluster/lease_record.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string_view>

#include "api/text.hpp"
#include "api/timestamp.hpp"

namespace dynamo::cluster {
namespace {

std::optional<std::chrono::seconds> read_duration(json::Value value) {
  const std::optional<std::int64_t> seconds = value.integer();
  if (!seconds || *seconds < 0 || *seconds > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace

LeaseRecord read_lease(json::Value spec) {
  LeaseRecord record;
  // Three bytes are left for the sign that something was cut.
  api::append_presentable(record.holder, spec["holderIdentity"].string_or_empty(),
                          LeaseRecord::kLongestHolder - 3);
  record.renew_time = api::parse_timestamp(spec["renewTime"].string_or_empty());
  record.duration = read_duration(spec["leaseDurationSeconds"]);
  return record;
}

std::string format_micro_time(std::chrono::system_clock::time_point time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(time - second);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ", static_cast<int>(rest.count()));
  std::string text = api::format_timestamp(second);
  text.pop_back();  // Z
  return text + fraction.data();
}

}  // namespace dynamo::cluster

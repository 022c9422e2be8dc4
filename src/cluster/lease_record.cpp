#include "cluster/lease_record.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

#include "text/presentable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cluster {
namespace {

std::optional<std::chrono::seconds> read_duration(json::Value value) {
  const std::optional<std::int64_t> seconds = value.integer();
  if (!seconds || *seconds <= 0 || *seconds > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace

LeaseRecord read_lease(json::Value spec) {
  LeaseRecord record;
  // Three bytes are reserved for the truncation mark.
  text::append_presentable(record.holder, spec["holderIdentity"].string_or_empty(),
                           LeaseRecord::kLongestHolder - 3);
  record.renew_time = text::parse_timestamp(spec["renewTime"].string_or_empty());
  record.duration = read_duration(spec["leaseDurationSeconds"]);
  return record;
}

}  // namespace dynamo::cluster

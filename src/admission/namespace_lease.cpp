#include "admission/namespace_lease.hpp"

#include <algorithm>

namespace dynamo::admission {
namespace {

using std::chrono::system_clock;

}  // namespace

std::optional<system_clock::time_point> end_of(const NamespaceLease& lease) {
  if (!lease.renew_time || !lease.duration || *lease.duration <= lease.duration->zero() ||
      *lease.renew_time < system_clock::time_point{}) {
    return std::nullopt;
  }
  const auto left = system_clock::time_point::max() - *lease.renew_time;
  if (*lease.duration >= std::chrono::floor<std::chrono::seconds>(left)) {
    return system_clock::time_point::max();
  }
  return *lease.renew_time + *lease.duration;
}

LeaseRejection rejection_of(const NamespaceLease& lease, system_clock::time_point now) {
  const auto end = end_of(lease);
  if (!end || *end <= now) return LeaseRejection::kNone;
  // Avoids overflow: renewTime is not before 1970, while `now` may be any time.
  const bool is_future = *lease.renew_time - kFurthestAhead > now;
  return is_future ? LeaseRejection::kFuture : lease.rejection;
}

bool is_live(const NamespaceLease& lease, system_clock::time_point now) {
  const auto end = end_of(lease);
  return end && *end > now && rejection_of(lease, now) == LeaseRejection::kNone;
}

std::optional<system_clock::time_point> left_unvalidated_until(const NamespaceLease& lease,
                                                               system_clock::time_point now) {
  const auto end = std::max(end_of(lease), lease.earlier_end);  // nullopt is less than any end
  if (!end || is_live(lease, now)) return std::nullopt;
  return std::min(*end, now);
}

}  // namespace dynamo::admission

#include "cluster/lease_trust.hpp"

#include <algorithm>
#include <span>

#include "text/glob.hpp"
#include "text/quoted.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cluster {
namespace {

bool matches_one(std::span<const std::string> globs, std::string_view text) {
  return globs.empty() || std::ranges::any_of(globs, [text](std::string_view glob) {
           return text::matches_glob(glob, text);
         });
}

std::string quoted(std::string_view text) {
  return text::quoted(text, LeaseRecord::kLongestHolder);
}

}  // namespace

admission::LeaseRejection LeaseTrust::rejection(std::string_view namespace_name,
                                                const LeaseRecord& lease) const {
  if (lease.duration && *lease.duration > longest) return admission::LeaseRejection::kDuration;
  if (!matches_one(namespaces, namespace_name)) return admission::LeaseRejection::kNamespace;
  if (!matches_one(holders, lease.holder)) return admission::LeaseRejection::kHolder;
  return admission::LeaseRejection::kNone;
}

std::string describe(admission::LeaseRejection rejection, std::string_view namespace_name,
                     const LeaseRecord& lease, std::chrono::seconds longest,
                     std::chrono::system_clock::time_point now) {
  switch (rejection) {
    case admission::LeaseRejection::kFuture:
      return "renewTime must not be more than " +
             std::to_string(std::chrono::seconds(admission::kFurthestAhead).count()) +
             " s ahead; found " + text::format_timestamp(lease.renew_time.value_or(now)) + " at " +
             text::format_timestamp(now);
    case admission::LeaseRejection::kDuration:
      return "leaseDurationSeconds must be at most " + std::to_string(longest.count()) +
             " (--lease-max-duration); found " +
             std::to_string(lease.duration.value_or(longest).count());
    case admission::LeaseRejection::kNamespace:
      return "the namespace must be one of --lease-namespaces; found " + quoted(namespace_name);
    case admission::LeaseRejection::kHolder:
      return "holderIdentity must be one of --lease-holders; found " + quoted(lease.holder);
    case admission::LeaseRejection::kNone:
      break;
  }
  return {};
}

}  // namespace dynamo::cluster

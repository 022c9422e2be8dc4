// Decides which marker Leases are trusted, independent of the time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/lease_record.hpp"

namespace dynamo::cluster {

struct LeaseTrust {
  // Leases with a longer duration are rejected: a live operator renews.
  std::chrono::seconds longest{std::chrono::minutes(5)};
  // Globs (text/glob.hpp); empty: any namespace, any holder.
  std::vector<std::string> namespaces = {};
  std::vector<std::string> holders = {};

  // Why a Lease of that namespace is rejected; kNone if it is trusted while it has not expired.
  admission::LeaseRejection rejection(std::string_view namespace_name,
                                      const LeaseRecord& lease) const;
};

// One bounded line: the requirement that a rejected Lease violates, and the value found.
std::string describe(admission::LeaseRejection rejection, std::string_view namespace_name,
                     const LeaseRecord& lease, std::chrono::seconds longest,
                     std::chrono::system_clock::time_point now);

}  // namespace dynamo::cluster

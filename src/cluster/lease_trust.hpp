// Whose marker Leases are believed, whatever the time is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/lease_record.hpp"

namespace dynamo::cluster {

struct LeaseTrust {
  // Longer leases are not believed: whoever lives renews.
  std::chrono::seconds longest{std::chrono::minutes(5)};
  // Globs (text/glob.hpp); empty: of any namespace, of any holder.
  std::vector<std::string> namespaces = {};
  std::vector<std::string> holders = {};

  // Why a Lease of that namespace is not believed; kNone when it is, its times permitting.
  admission::LeaseDoubt doubt(std::string_view namespace_name, const LeaseRecord& lease) const;
};

// What must hold of a Lease that is doubted, and what was found: one line, bounded.
std::string describe(admission::LeaseDoubt doubt, std::string_view namespace_name,
                     const LeaseRecord& lease, std::chrono::seconds longest,
                     std::chrono::system_clock::time_point now);

}  // namespace dynamo::cluster

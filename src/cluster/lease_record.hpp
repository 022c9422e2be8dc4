// Holder and lifetime of a Lease.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "admission/namespace_lease.hpp"
#include "json/document.hpp"

namespace dynamo::cluster {

// The part of a Lease that decides which operator owns a namespace.
struct LeaseRecord {
  std::string holder;  // empty: none; at most kLongestHolder bytes
  std::optional<std::chrono::system_clock::time_point> renew_time = {};
  std::optional<std::chrono::seconds> duration = {};  // above 0, fits in 32 bits
  std::string uid = {};                               // of the Lease; may be empty
  // The latest expiry observed so far, if it is later than the current one. A client that moves the
  // expiry into the past thus does not revoke decisions based on the earlier expiry.
  std::optional<std::chrono::system_clock::time_point> earlier_end = {};
  // The verdict of LeaseTrust.
  admission::LeaseRejection rejection = admission::LeaseRejection::kNone;

  static constexpr std::size_t kLongestHolder = 253;

  // The view for request evaluation, valid as long as this record.
  admission::NamespaceLease view() const {
    return {renew_time, duration, holder, rejection, earlier_end};
  }
  bool operator==(const LeaseRecord&) const = default;
};

// Parses a Lease's `spec`. Fields that are missing or malformed are absent in the result. The
// caller sets uid, earlier_end and rejection.
LeaseRecord read_lease(json::Value spec);

}  // namespace dynamo::cluster

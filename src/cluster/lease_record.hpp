// What a Lease says about who holds it and for how long.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "admission/namespace_lease.hpp"
#include "json/document.hpp"

namespace dynamo::cluster {

// The part of a Lease that decides who owns a namespace.
struct LeaseRecord {
  std::string holder;  // empty: none; at most kLongestHolder bytes
  std::optional<std::chrono::system_clock::time_point> renew_time = {};
  std::optional<std::chrono::seconds> duration = {};  // above 0, fits in 32 bits
  std::string uid = {};                               // of the Lease; may be empty
  // The latest end that it was seen to have, where that lies behind the present one: whoever
  // rewrites it into the past does not undo what it let pass.
  std::optional<std::chrono::system_clock::time_point> earlier_end = {};
  // What LeaseTrust says of it.
  admission::LeaseDoubt doubt = admission::LeaseDoubt::kNone;

  static constexpr std::size_t kLongestHolder = 253;

  // Judged as a request would judge it; the view lives as long as this.
  admission::NamespaceLease view() const {
    return {renew_time, duration, holder, doubt, earlier_end};
  }
  bool operator==(const LeaseRecord&) const = default;
};

// Of a Lease's `spec`. What is missing or has another form than the API's is missing in the answer;
// uid, earlier_end and doubt are left to the caller.
LeaseRecord read_lease(json::Value spec);

}  // namespace dynamo::cluster

// What to do about the marker Lease of a restricted namespace, as pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/lease_record.hpp"
#include "cluster/lease_trust.hpp"
#include "json/document.hpp"

namespace dynamo::cluster {

struct MarkerLeaseOptions {
  std::string namespace_name;
  // The same for all replicas that share the namespace: they renew one Lease together.
  std::string identity;
  std::chrono::seconds duration{30};
  std::chrono::nanoseconds interval{std::chrono::seconds(10)};  // below the duration
  LeaseTrust trust = {};  // whose Lease we leave as it is while it lives
};

// "namespace-restricted-operator-VERSION", as the operator of that version calls itself.
std::string marker_identity(std::string_view operator_version);

enum class MarkerStep : unsigned char {
  kCreate,
  kRenew,
  kTakeOver,  // another's, and dead or not believed
  kYield,     // another's, and alive: not ours to write
};
// `found`: what the Lease's spec says, with its doubt; nothing when there is no Lease.
MarkerStep marker_step(const std::optional<LeaseRecord>& found, std::string_view identity,
                       std::chrono::system_clock::time_point now);

// The Lease to write, as JSON. `found` is the whole object that is renewed or taken over, absent to
// create one: what is not ours in it is kept, its resourceVersion too, unless all of it is more
// than 64 KiB: then only what identifies the Lease is.
std::string marker_body(json::Value found, MarkerStep step, const MarkerLeaseOptions& options,
                        std::chrono::system_clock::time_point now);

// How many renewals in a row may fail, the API server not being reached or refusing them, before
// the Lease must be given up, so that the process begins to end before others take the namespace
// for free: duration / interval - 1, at least 1. While it drains it may answer beside another; both
// come to the same verdict.
unsigned tolerated_failures(const MarkerLeaseOptions& options);

}  // namespace dynamo::cluster

// Decides how to update the marker Lease of a restricted namespace. Pure functions.
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
  // Identical for all replicas that share the namespace: they renew one Lease together.
  std::string identity;
  std::chrono::seconds duration{30};
  std::chrono::nanoseconds interval{std::chrono::seconds(10)};  // below the duration
  LeaseTrust trust = {};  // which foreign Leases we respect while they are live
};

// "namespace-restricted-operator-VERSION", the identity that the operator of that version uses.
std::string marker_identity(std::string_view operator_version);

enum class MarkerStep : unsigned char {
  kCreate,
  kRenew,
  kTakeOver,  // of another operator, expired or rejected
  kYield,     // of another operator, and live: we do not write it
};
// `found`: the Lease's spec with its rejection; nullopt if there is no Lease.
MarkerStep marker_step(const std::optional<LeaseRecord>& found, std::string_view identity,
                       std::chrono::system_clock::time_point now);

// The Lease to write, as JSON. `found` is the object to renew or take over, absent to create one.
// Fields of others and the resourceVersion are kept. If the object exceeds 64 KiB, only its
// identifying fields are kept.
std::string marker_body(json::Value found, MarkerStep step, const MarkerLeaseOptions& options,
                        std::chrono::system_clock::time_point now);

// Number of consecutive failed renewals after which the Lease must be given up: duration / interval
// - 1, at least 1. So the process starts to exit before other operators treat the namespace as
// free. While it drains, it may answer concurrently with another operator; both reach the same
// verdict.
unsigned tolerated_failures(const MarkerLeaseOptions& options);

}  // namespace dynamo::cluster

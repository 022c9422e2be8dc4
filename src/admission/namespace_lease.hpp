// Namespaces that belong to another operator: each is marked by a live Lease.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::admission {

// The Lease that a namespace-restricted operator keeps in its namespace.
inline constexpr std::string_view kNamespaceScopeLease = "dynamo-operator-namespace-scope";

// The tolerated clock skew: a renewTime further ahead is not trusted.
inline constexpr std::chrono::minutes kFurthestAhead{1};

// Why an unexpired Lease is not trusted.
enum class LeaseRejection : unsigned char {
  kNone,
  kFuture,     // its renewTime is more than kFurthestAhead ahead
  kDuration,   // its duration exceeds the trusted maximum without a renewal
  kNamespace,  // Leases in this namespace are not trusted
  kHolder,     // this holder is not trusted
};
inline constexpr std::array<std::string_view, 4> kLeaseRejectionNames{"future", "duration",
                                                                      "namespace", "holder"};

// Precondition: not kNone.
constexpr std::string_view name(LeaseRejection rejection) {
  return kLeaseRejectionNames[static_cast<std::size_t>(rejection) - 1];
}

// The relevant fields of such a Lease. `holder` is valid as long as the object that returned it.
struct NamespaceLease {
  std::optional<std::chrono::system_clock::time_point> renew_time;
  std::optional<std::chrono::seconds> duration;      // fits in 32 bits, as in the API
  std::string_view holder = {};                      // empty if unset
  LeaseRejection rejection = LeaseRejection::kNone;  // independent of the time, so never kFuture
  // The latest end observed earlier, if it is after the current one.
  std::optional<std::chrono::system_clock::time_point> earlier_end = {};
};

// renewTime + leaseDurationSeconds, at most the clock's last moment. nullopt if one of them is
// missing, the duration is not positive, or the time is before 1970: such a Lease is never live.
std::optional<std::chrono::system_clock::time_point> end_of(const NamespaceLease& lease);

// Why a Lease that ends after `now` is not trusted; kNone for all others.
LeaseRejection rejection_of(const NamespaceLease& lease, std::chrono::system_clock::time_point now);

// True if end_of() is after `now` and it is not rejected.
bool is_live(const NamespaceLease& lease, std::chrono::system_clock::time_point now);

// Until when this Lease may have let objects pass without validation, at most `now`. nullopt if the
// Lease is live or never was. Includes rejected Leases: an earlier server, or this one with other
// flags, may have trusted them.
std::optional<std::chrono::system_clock::time_point> left_unvalidated_until(
    const NamespaceLease& lease, std::chrono::system_clock::time_point now);

// A snapshot of the Leases for the duration of a request. Implementations return from memory
// without blocking and are called from several threads.
class NamespaceLeases {
 public:
  virtual ~NamespaceLeases() = default;
  // The Lease kNamespaceScopeLease of that namespace, or nullopt.
  virtual std::optional<NamespaceLease> find(std::string_view namespace_name) const = 0;
};

// Finds no Lease: for servers without a connection to the cluster.
class NoNamespaceLeases final : public NamespaceLeases {
 public:
  std::optional<NamespaceLease> find(std::string_view) const override { return std::nullopt; }
};

}  // namespace dynamo::admission

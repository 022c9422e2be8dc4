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

// A renewTime further ahead is not one of somebody whose clock is a little off.
inline constexpr std::chrono::minutes kFurthestAhead{1};

// Why a Lease that says that it lives is not believed.
enum class LeaseDoubt : unsigned char {
  kNone,
  kFuture,     // its renewTime lies more than kFurthestAhead ahead
  kDuration,   // it is to live longer than is believed without a renewal
  kNamespace,  // leases of this namespace are not believed
  kHolder,     // this holder is not believed
};
inline constexpr std::array<std::string_view, 4> kLeaseDoubtNames{"future", "duration", "namespace",
                                                                  "holder"};

// Of a doubt, not of kNone.
constexpr std::string_view name(LeaseDoubt doubt) {
  return kLeaseDoubtNames[static_cast<std::size_t>(doubt) - 1];
}

// What the wrapper needs of such a Lease. `holder` lives as long as what answered it.
struct NamespaceLease {
  std::optional<std::chrono::system_clock::time_point> renew_time;
  std::optional<std::chrono::seconds> duration;  // fits in 32 bits, as in the API
  std::string_view holder = {};                  // empty: it names none
  LeaseDoubt doubt = LeaseDoubt::kNone;          // what is doubted at any time: never kFuture
  // The latest end that it was seen to have before, where that lies behind the present one.
  std::optional<std::chrono::system_clock::time_point> earlier_end = {};
};

// renewTime + leaseDurationSeconds, at most the clock's last moment; nothing when one of them is
// missing, the duration is not above zero, or the time lies before 1970: such a Lease never lives.
std::optional<std::chrono::system_clock::time_point> end_of(const NamespaceLease& lease);

// Why a Lease whose end lies ahead of `now` is not believed; kNone for all others.
LeaseDoubt doubt_of(const NamespaceLease& lease, std::chrono::system_clock::time_point now);

// True while end_of() lies ahead of `now` and nothing is doubted.
bool is_live(const NamespaceLease& lease, std::chrono::system_clock::time_point now);

// Until when this Lease may have let objects pass unjudged, at most `now`; nothing for one that
// lives or never did. Doubted ones are among them: they may have been believed by a server before
// this one, or before its flags were changed.
std::optional<std::chrono::system_clock::time_point> left_unjudged_until(
    const NamespaceLease& lease, std::chrono::system_clock::time_point now);

// Where the leases are looked up: a state of them that does not change while a request is judged.
// Implementations answer from memory at once, and are called from several threads.
class NamespaceLeases {
 public:
  virtual ~NamespaceLeases() = default;
  // The Lease of that name in the namespace, or nothing.
  virtual std::optional<NamespaceLease> find(std::string_view namespace_name) const = 0;
};

// No namespace has a lease: for servers without a connection to the cluster.
class NoNamespaceLeases final : public NamespaceLeases {
 public:
  std::optional<NamespaceLease> find(std::string_view) const override { return std::nullopt; }
};

}  // namespace dynamo::admission

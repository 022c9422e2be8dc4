// Namespaces that belong to another operator: each is marked by a live Lease.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dynamo::admission {

// The Lease that a namespace-restricted operator keeps in its namespace.
inline constexpr std::string_view kNamespaceScopeLease = "dynamo-operator-namespace-scope";

// What the wrapper needs of such a Lease. `holder` lives as long as what answered it.
struct NamespaceLease {
  std::optional<std::chrono::system_clock::time_point> renew_time;
  std::optional<std::chrono::seconds> duration;  // fits in 32 bits, as in the API
  std::string_view holder = {};                  // empty: it names none
};

// True while renewTime + leaseDurationSeconds lies ahead of `now`; a missing field means not live.
bool is_live(const NamespaceLease& lease, std::chrono::system_clock::time_point now);

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

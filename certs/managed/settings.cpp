#include "certs/managed/settings.hpp"

#include <cstdint>
#include <string_view>

namespace dynamo::certs::managed {
namespace {

constexpr std::int64_t kShares = 1024;

// A share of 0 .. kShares-1 determined by the identity: FNV-1a, then mixed, because identities
// often differ only in their last characters.
std::int64_t share_of(std::string_view identity) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : identity) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33U;
  return static_cast<std::int64_t>(hash % kShares);
}

std::chrono::seconds life(const CertificateFacts& facts) {
  return std::chrono::duration_cast<std::chrono::seconds>(facts.not_after - facts.not_before) -
         kBackDate;
}

}  // namespace

std::vector<std::string> server_names(const Settings& settings) {
  std::vector<std::string> names = {settings.service};
  names.push_back(names.back() + "." + settings.namespace_name);
  names.push_back(names.back() + ".svc");
  if (!settings.cluster_domain.empty()) {
    names.push_back(names.back() + "." + settings.cluster_domain);
  }
  return names;
}

std::string api_server_name(const Settings& settings) {
  return settings.service + "." + settings.namespace_name + ".svc";
}

std::string secret_name(const Settings& settings) {
  return settings.namespace_name + "/" + settings.secret;
}

TimePoint renew_leaf_at(const CertificateFacts& leaf, const Settings& settings) {
  const std::chrono::seconds jitter = life(leaf) * share_of(settings.identity) / kShares / 50;
  return leaf.not_before + kBackDate + life(leaf) * 2 / 3 + jitter;
}

TimePoint rotate_ca_at(const CertificateFacts& ca) {
  return ca.not_before + kBackDate + life(ca) * 4 / 5;
}

}  // namespace dynamo::certs::managed

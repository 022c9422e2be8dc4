#include "reconciler/model/reach.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace dynamo::reconciler::model {
namespace {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

std::string why_v4(const address_v4& address) {
  const std::uint32_t bits = address.to_uint();
  constexpr std::uint32_t kLinkLocal = 0xA9FE;  // 169.254.0.0/16
  if ((bits >> 24U) == 0) return "it is an address of no host";
  if (address.is_loopback()) return "it is a loopback address";
  if ((bits >> 16U) == kLinkLocal) return "it is a link-local address";
  if (address.is_multicast()) return "it is a multicast address";
  if (address == address_v4::broadcast()) return "it is a broadcast address";
  return {};
}

// ::ffff:a.b.c.d, ::a.b.c.d, and 64:ff9b::a.b.c.d of a NAT64.
std::optional<address_v4> v4_within(const address_v6& address) {
  constexpr std::size_t kPrefix = 12;
  constexpr std::array<unsigned char, kPrefix> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  constexpr std::array<unsigned char, kPrefix> kCompatible{};
  constexpr std::array<unsigned char, kPrefix> kNat64{0, 0x64, 0xff, 0x9b};
  const address_v6::bytes_type bytes = address.to_bytes();
  const auto begins_with = [&bytes](const std::array<unsigned char, kPrefix>& prefix) {
    return std::equal(prefix.begin(), prefix.end(), bytes.begin());
  };
  if (!begins_with(kMapped) && !begins_with(kCompatible) && !begins_with(kNat64)) {
    return std::nullopt;
  }
  address_v4::bytes_type last{};
  std::copy(bytes.begin() + kPrefix, bytes.end(), last.begin());
  return address_v4(last);
}

std::string why_v6(const address_v6& address) {
  if (address.is_loopback()) return "it is a loopback address";
  if (address.is_unspecified()) return "it is an address of no host";
  if (address.is_link_local() || address.scope_id() != 0) return "it is a link-local address";
  if (address.is_multicast()) return "it is a multicast address";
  const auto within = v4_within(address);
  return within ? why_v4(*within) : std::string();
}

}  // namespace

std::string why_out_of_reach(const boost::asio::ip::address& address) {
  return address.is_v4() ? why_v4(address.to_v4()) : why_v6(address.to_v6());
}

}  // namespace dynamo::reconciler::model

#include "aio/peer_network.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace dynamo::aio {

namespace {

constexpr std::size_t kPrefixBytes = 8;
// ::ffff:0:0/96, followed by the IPv4 address.
constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::optional<PeerNetwork> peer_network(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  PeerNetwork network{};
  if (storage.ss_family == AF_INET) {
    const in_addr& address = reinterpret_cast<const sockaddr_in&>(storage).sin_addr;
    const auto rest = std::ranges::copy(kMapped, network.begin()).out;
    std::memcpy(&*rest, &address, sizeof(address));
    return network;
  }
  if (storage.ss_family != AF_INET6) return std::nullopt;
  const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
  const std::span<const unsigned char> bytes(address.s6_addr);
  const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&address);
  std::ranges::copy(is_mapped ? bytes : bytes.first(kPrefixBytes), network.begin());
  return network;
}

}  // namespace dynamo::aio

// The network of a peer, for per-peer limits.
#pragma once

#include <array>
#include <optional>

namespace dynamo::aio {

// In IPv6 form: a mapped IPv4 address, or the first 64 bits followed by zeros.
using PeerNetwork = std::array<unsigned char, 16>;

// The peer of a TCP socket: its IPv4 address, also if mapped into IPv6, or the first 64 bits of its
// IPv6 address, because one host may use all addresses of such a network. nullopt for a socket
// without a peer.
std::optional<PeerNetwork> peer_network(int socket);

}  // namespace dynamo::aio

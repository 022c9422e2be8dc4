// From where a peer connects, when what it takes is to be charged to somebody.
#pragma once

#include <array>
#include <optional>

namespace dynamo::aio {

// As an IPv6 address: an IPv4 address mapped into one, or the first 64 bits and zeros.
using PeerNetwork = std::array<unsigned char, 16>;

// Of the peer of a TCP socket: its IPv4 address, also one in IPv6 clothes, or the first 64 bits of
// its IPv6 address, because one host may use all of them. Nothing for a socket without a peer.
std::optional<PeerNetwork> peer_network(int socket);

}  // namespace dynamo::aio

// Identifies the client to which a connection is charged.
#pragma once

#include <openssl/types.h>

#include <optional>

#include "server/peer_table.hpp"

namespace dynamo::server {

// The peer's address: an IPv4 address, also if mapped into IPv6, or the first 64 bits of an IPv6
// address, because one host may use all addresses of such a network. All sockets without a peer
// have the same key.
PeerKey peer_by_address(int socket);

// SHA-256 of the client's public key if the handshake of `ssl` is complete and the certificate was
// verified; otherwise nullopt.
std::optional<PeerKey> peer_by_certificate(const SSL* ssl);

// True for a key of peer_by_certificate(), false for an address.
bool is_client(const PeerKey& key);

}  // namespace dynamo::server

// Whom a connection is charged to.
#pragma once

#include <openssl/types.h>

#include <optional>

#include "server/holder_table.hpp"

namespace dynamo::server {

// The peer's address: an IPv4 address, also one in IPv6 clothes, or the first 64 bits of an IPv6
// address, because one host may use all of them. The same key for all sockets without a peer.
HolderKey holder_by_address(int socket);

// The client's public key by its SHA-256, when the handshake of `ssl` is complete and its
// certificate was verified; nothing otherwise.
std::optional<HolderKey> holder_by_certificate(const SSL* ssl);

// Is it a key of holder_by_certificate(), and none of an address?
bool is_client(const HolderKey& key);

}  // namespace dynamo::server

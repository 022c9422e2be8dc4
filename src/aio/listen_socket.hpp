// Binds addresses as Kubernetes writes them and accepts from them.
#pragma once

#include <cstdint>

#include "runtime/file_descriptor.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/result.hpp"

namespace dynamo::aio {

// A non-blocking listening socket with close-on-exec and SO_REUSEADDR. An empty host takes IPv6 and
// IPv4 in one socket, or IPv4 alone where there is no IPv6. The error names address and reason.
runtime::Result<runtime::FileDescriptor> listen_on(const runtime::Address& address);

// The port it is bound to.
std::uint16_t port_of(int listening_socket);

enum class Accepted : unsigned char {
  kConnection,
  kNone,       // nobody waits
  kTransient,  // this one is gone; go on accepting
  kExhausted,  // out of descriptors or memory
};

// Takes one waiting connection, non-blocking, close-on-exec, without Nagle's delay.
Accepted accept_one(int listening_socket, runtime::FileDescriptor& connection);

}  // namespace dynamo::aio

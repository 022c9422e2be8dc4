// Binds addresses in Kubernetes' notation and accepts connections.
#pragma once

#include <cstdint>

#include "runtime/file_descriptor.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/result.hpp"

namespace dynamo::aio {

// A non-blocking listening socket with close-on-exec and SO_REUSEADDR. An empty host binds IPv6 and
// IPv4 with one socket, or only IPv4 if there is no IPv6. The error names address and reason.
runtime::Result<runtime::FileDescriptor> listen_on(const runtime::Address& address);

// The port it is bound to.
std::uint16_t port_of(int listening_socket);

enum class AcceptResult : unsigned char {
  kConnection,
  kNone,       // no connection is waiting
  kTransient,  // this connection no longer exists; continue accepting
  kExhausted,  // out of descriptors or memory
};

// Accepts one waiting connection: non-blocking, close-on-exec, TCP_NODELAY.
AcceptResult accept_one(int listening_socket, runtime::FileDescriptor& connection);

}  // namespace dynamo::aio

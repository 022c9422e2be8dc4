// Kernel buffer sizes of a connection.
#pragma once

#include <cstddef>

namespace dynamo::server {

// Kernel buffers of a connection count as the pod's memory. By default they grow to megabytes for a
// peer that transferred much before, both for an answer that it stops reading and for further
// requests. So the buffers of a socket are fixed; an answer of the largest size still fits. The
// kernel doubles each size for its overhead.

// Limits the buffers of sockets that are accepted from this one.
void bound_socket_buffers(int listening);

// The sockets of one loop that stay wide between two large bodies.
struct WideSockets {
  static constexpr std::size_t kMax = 16;
  std::size_t kept = 0;
};

// The receive buffer of a connection's socket: small, except during a large body, which the memory
// for bodies limits. Through a small buffer a large body arrives in many parts, which costs a tenth
// more. Widening the buffer for each body costs nearly as much. So the first few sockets stay wide
// while their input is read. Not thread-safe: belongs to one session.
class ReceiveBuffer {
 public:
  // `wide` belongs to the loop, and outlives it.
  ReceiveBuffer(int socket, WideSockets& wide);
  ~ReceiveBuffer();
  ReceiveBuffer(const ReceiveBuffer&) = delete;
  ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

  void begin_body(int socket, std::size_t bytes);
  // Also valid if no body has started.
  void end_body(int socket);
  // Call it when nothing will be read for a while.
  void narrow(int socket);

 private:
  WideSockets& wide_;
  bool is_wide_ = false;
  bool is_kept_ = false;
};

}  // namespace dynamo::server

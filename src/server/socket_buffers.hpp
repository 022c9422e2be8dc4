// How much the kernel keeps for a connection, of what is sent and of what is received.
#pragma once

#include <cstddef>

namespace dynamo::server {

// What the kernel keeps of a connection is the pod's memory, too. By itself it would let a peer who
// has taken and sent much before grow that to megabytes: of an answer that is not taken any more,
// and of requests behind it. So the buffers of a socket are fixed; an answer of the largest size
// still leaves at once. The kernel takes twice as much of each, with what it needs around it.

// Bounds what sockets keep that are accepted from this one.
void bound_socket_buffers(int listening);

// Of one loop: sockets that stay wide between two large bodies.
struct WideSockets {
  static constexpr std::size_t kMost = 16;
  std::size_t kept = 0;
};

// How much a connection's socket keeps of what it receives: little, but while a large body is on
// its way, which is bounded itself by the memory for bodies. Through a narrow one such a body comes
// in many small parts, which cost a tenth more, and widening it each time costs nearly as much: so
// the first few stay wide, as long as what comes is read. Not thread-safe: belongs to one session.
class ReceiveBuffer {
 public:
  // `wide` is of the loop, and outlives it.
  ReceiveBuffer(int socket, WideSockets& wide);
  ~ReceiveBuffer();
  ReceiveBuffer(const ReceiveBuffer&) = delete;
  ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

  void begin_body(int socket, std::size_t bytes);
  // Also when none has begun.
  void end_body(int socket);
  // Nothing is read for a while.
  void narrow(int socket);

 private:
  WideSockets& wide_;
  bool is_wide_ = false;
  bool is_kept_ = false;
};

}  // namespace dynamo::server

#include "server/socket_buffers.hpp"

#include <sys/socket.h>

#include <utility>

namespace dynamo::server {

namespace {

constexpr int kSendBytes = 64 * 1024;
constexpr int kReceiveBytes = 128 * 1024;
constexpr int kReceiveBytesOfLargeBody = 512 * 1024;
// A body that fits into the small buffer is not large.
constexpr std::size_t kLargeBody = kReceiveBytes;

void receive_at_most(int socket, int bytes) {
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

}  // namespace

void bound_socket_buffers(int listening) {
  ::setsockopt(listening, SOL_SOCKET, SO_SNDBUF, &kSendBytes, sizeof(kSendBytes));
  // A connection's window cannot be widened later beyond its initial scale.
  receive_at_most(listening, kReceiveBytesOfLargeBody);
}

ReceiveBuffer::ReceiveBuffer(int socket, WideSockets& wide) : wide_(wide) {
  receive_at_most(socket, kReceiveBytes);
}

ReceiveBuffer::~ReceiveBuffer() {
  if (is_kept_) --wide_.kept;
}

void ReceiveBuffer::begin_body(int socket, std::size_t bytes) {
  if (is_wide_ || bytes <= kLargeBody) return;
  receive_at_most(socket, kReceiveBytesOfLargeBody);
  is_wide_ = true;
}

void ReceiveBuffer::end_body(int socket) {
  if (!is_wide_ || is_kept_) return;
  if (wide_.kept == WideSockets::kMax) return narrow(socket);
  ++wide_.kept;
  is_kept_ = true;
}

void ReceiveBuffer::narrow(int socket) {
  if (!is_wide_) return;
  receive_at_most(socket, kReceiveBytes);
  is_wide_ = false;
  if (std::exchange(is_kept_, false)) --wide_.kept;
}

}  // namespace dynamo::server

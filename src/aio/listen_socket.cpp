#include "aio/listen_socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace dynamo::aio {

namespace {

constexpr int kBacklog = 1024;

runtime::Error failure(const runtime::Address& address, const std::string& reason) {
  return {"cannot listen on " + runtime::format_address(address) + ": " + reason};
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof(value));
}

// 0, or errno.
int listen_on(const addrinfo& candidate, runtime::FileDescriptor& listening) {
  runtime::FileDescriptor socket(
      ::socket(candidate.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (candidate.ai_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (::bind(socket.get(), candidate.ai_addr, candidate.ai_addrlen) != 0) return errno;
  if (::listen(socket.get(), kBacklog) != 0) return errno;
  listening = std::move(socket);
  return 0;
}

}  // namespace

runtime::Result<runtime::FileDescriptor> listen_on(const runtime::Address& address) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(),
                                  std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return failure(address, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);

  // Without a host the IPv6 wildcard is tried first, regardless of the system's order: it covers
  // both.
  int reason = EADDRNOTAVAIL;
  runtime::FileDescriptor listening;
  for (const int family : {AF_INET6, AF_INET}) {
    for (const addrinfo* candidate = found; candidate != nullptr; candidate = candidate->ai_next) {
      if (candidate->ai_family != family) continue;
      reason = listen_on(*candidate, listening);
      if (reason == 0) return listening;
      if (reason == EADDRINUSE || reason == EACCES) return failure(address, reason_of(reason));
    }
  }
  return failure(address, reason_of(reason));
}

std::uint16_t port_of(int listening_socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (::getsockname(listening_socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

AcceptResult accept_one(int listening_socket, runtime::FileDescriptor& connection) {
  connection.reset(::accept4(listening_socket, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection) {
    set_option(connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    return AcceptResult::kConnection;
  }
  switch (errno) {
    case EAGAIN:
      return AcceptResult::kNone;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return AcceptResult::kExhausted;
    default:  // the peer disconnected while waiting, or accept(2) passed on a network error
      return AcceptResult::kTransient;
  }
}

}  // namespace dynamo::aio

#include "tests/kube/scripted_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <utility>

#include "certs/client_ca.hpp"
#include "certs/tls_context.hpp"

namespace dynamo::test {
namespace {

constexpr std::chrono::milliseconds kPatience{10'000};

struct ScriptError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void limit_waits(int socket) {
  const timeval limit{kPatience.count() / 1000, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

std::size_t body_length(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at == std::string_view::npos) return 0;
  const std::string_view value = head.substr(at + kName.size());
  std::from_chars(value.data(), value.data() + value.size(), length);
  return length;
}

thread_local ScriptedServer* serving = nullptr;

}  // namespace

Peer::Peer(int socket, SSL_CTX* context) : socket_(socket) {
  limit_waits(socket_);
  if (context == nullptr) return;
  ssl_ = SSL_new(context);
  SSL_set_fd(ssl_, socket_);
}

Peer::~Peer() {
  if (ssl_ != nullptr) SSL_free(ssl_);
}

bool Peer::shake_hands() {
  return ssl_ == nullptr || SSL_accept(ssl_) == 1;
}

std::string Peer::receive() {
  std::array<char, 16384> bytes;
  const auto count = ssl_ != nullptr ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                     : ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (count < 0 && ssl_ == nullptr && errno == EAGAIN) throw ScriptError("nothing came");
  return count <= 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(count));
}

std::string Peer::read_request() {
  for (;;) {
    const std::size_t end = received_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::size_t size = end + 4 + body_length(std::string_view(received_).substr(0, end));
      if (received_.size() >= size) {
        std::string request = received_.substr(0, size);
        received_.erase(0, size);
        serving->note(request);
        return request;
      }
    }
    const std::string more = receive();
    if (more.empty()) return {};
    received_ += more;
  }
}

void Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ssl_ != nullptr
                           ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                           : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) throw ScriptError("the client has closed");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Peer::end() {
  if (ssl_ != nullptr) SSL_shutdown(ssl_);
  ::shutdown(socket_, SHUT_WR);
}

void Peer::cut() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  ::shutdown(socket_, SHUT_RDWR);
}

bool Peer::is_closed_by_client() {
  try {
    return receive().empty();
  } catch (const ScriptError&) {
    return false;
  }
}

bool Gate::wait() const {
  return future_.wait_for(kPatience) == std::future_status::ready;
}

ScriptedServer::ScriptedServer(std::vector<Script> scripts, ScriptedOptions options)
    : scripts_(std::move(scripts)), options_(std::move(options)) {
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  ::signal(SIGPIPE, SIG_IGN);
  if (!options_.pair.certificate_pem.empty()) {
    certs::ClientVerification clients;
    clients.ca_pem = options_.client_ca_pem;
    context_ = certs::build_tls_context(options_.pair, {},
                                        options_.client_ca_pem.empty() ? nullptr : &clients)
                   .value();
  }
  const bool is_ipv6 = options_.address.find(':') != std::string::npos;
  listener_ = ::socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address6{};
  sockaddr_in address4{};
  address6.sin6_family = AF_INET6;
  address4.sin_family = AF_INET;
  address6.sin6_port = htons(options_.port);
  address4.sin_port = htons(options_.port);
  // A recently closed connection must not block the same port.
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  ::inet_pton(AF_INET6, options_.address.c_str(), &address6.sin6_addr);
  ::inet_pton(AF_INET, options_.address.c_str(), &address4.sin_addr);
  auto* address =
      is_ipv6 ? reinterpret_cast<sockaddr*>(&address6) : reinterpret_cast<sockaddr*>(&address4);
  socklen_t size = is_ipv6 ? sizeof(address6) : sizeof(address4);
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, address, &size) != 0) {
    throw std::runtime_error("the test cannot listen on " + options_.address);
  }
  port_ = ntohs(is_ipv6 ? address6.sin6_port : address4.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& each : threads_) each.join();
  for (const int socket : sockets_) ::close(socket);
  ::close(listener_);
}

void ScriptedServer::accept_all() {
  // SIGCHLD would interrupt the blocking calls of this thread and of the threads it starts.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const auto number = static_cast<std::size_t>(connections_++);
    const std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
    const Script& script = scripts_[std::min(number, scripts_.size() - 1)];
    threads_.emplace_back([this, socket, &script] { serve(socket, script); });
  }
}

void ScriptedServer::serve(int socket, const Script& script) {
  serving = this;
  try {
    Peer peer(socket, options_.handshake ? context_.get() : nullptr);
    if (options_.handshake && !peer.shake_hands()) {
      ::shutdown(socket, SHUT_RDWR);
      return;
    }
    script(peer);
    peer.end();
    while (!peer.read_request().empty()) {
    }
  } catch (const ScriptError&) {
    // The connection has ended, and so has the script.
  }
  ::shutdown(socket, SHUT_RDWR);
}

std::vector<std::string> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::note(std::string request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
}

std::string answer(int status, std::string_view body, std::string_view headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Word\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

Script answering(std::string text) {
  return [text = std::move(text)](Peer& peer) {
    while (!peer.read_request().empty()) peer.send(text);
  };
}

Script stalling(std::string text) {
  return [text = std::move(text)](Peer& peer) {
    peer.read_request();
    peer.send(text);
    peer.is_closed_by_client();
  };
}

}  // namespace dynamo::test

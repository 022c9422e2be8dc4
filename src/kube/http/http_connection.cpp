#include "kube/http/http_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/config/tls.hpp"

namespace dynamo::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Endpoints = std::vector<tcp::endpoint>;
using Clock = std::chrono::steady_clock;
using ErrorCode = boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

Error connect_error(std::string text) {
  Error error;
  error.failure = FailureKind::kConnect;
  error.text = std::move(text);
  return error;
}

Error deadline_error(std::string text) {
  Error error;
  error.failure = FailureKind::kDeadline;
  error.text = std::move(text);
  return error;
}

// Lets the kernel close a connection within about 20 seconds after its peer disappeared silently. A
// watch sends nothing that would be acknowledged. Failures of these options are harmless.
void notice_death(int socket) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 3);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  constexpr int kMilliseconds = 20'000;  // for unacknowledged data
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kMilliseconds);
}

// Shared between a name lookup and its handler: the resolver's thread cannot be called back.
struct NameLookup {
  explicit NameLookup(const asio::any_io_executor& executor) : resolver(executor), done(executor) {}
  tcp::resolver resolver;
  asio::steady_timer done;
  bool is_done = false;
  ErrorCode error;
  Endpoints endpoints;
};

aio::Task<Result<Endpoints>> resolve(asio::any_io_executor executor, std::string host,
                                     std::string port, Clock::time_point deadline) {
  ErrorCode not_an_address;
  const auto address = asio::ip::make_address(host, not_an_address);
  if (!not_an_address) {
    const auto number = static_cast<unsigned short>(std::stoul(port));
    co_return Endpoints{tcp::endpoint(address, number)};
  }
  const auto look_up = std::make_shared<NameLookup>(executor);
  look_up->done.expires_at(deadline);
  look_up->resolver.async_resolve(
      host, port, tcp::resolver::numeric_service,
      [look_up](const ErrorCode& error, const tcp::resolver::results_type& found) {
        look_up->is_done = true;
        look_up->error = error;
        for (const auto& each : found) look_up->endpoints.push_back(each.endpoint());
        look_up->done.cancel();
      });
  co_await look_up->done.async_wait(kNoThrow);
  if (!look_up->is_done) {
    look_up->resolver.cancel();
    co_return deadline_error("looking up " + host + " took too long");
  }
  if (look_up->error) {
    co_return connect_error("looking up " + host + ": " + look_up->error.message());
  }
  if (look_up->endpoints.empty()) co_return connect_error(host + " has no address");
  co_return std::move(look_up->endpoints);
}

}  // namespace

struct HttpConnection::State {
  explicit State(const asio::any_io_executor& executor) : socket(executor), timer(executor) {}

  tcp::socket& tcp_socket() { return tls ? tls->next_layer() : socket; }
  void close() {
    ErrorCode ignored;
    tcp_socket().close(ignored);
  }
  void stop_waiting() {
    deadline = TimePoint::max();
    waits = false;
    timer.cancel();
  }

  tcp::socket socket;  // until TLS takes ownership
  std::unique_ptr<asio::ssl::stream<tcp::socket>> tls;
  asio::steady_timer timer;
  TimePoint deadline = TimePoint::max();
  bool waits = false;  // the timer is set, no later than the deadline
  bool passed = false;
};

HttpConnection::HttpConnection(asio::any_io_executor executor, std::shared_ptr<SSL_CTX> context)
    : context_(std::move(context)), state_(std::make_shared<State>(executor)) {}

HttpConnection::~HttpConnection() {
  state_->stop_waiting();
  state_->close();
}

// Each request moves the deadline, nearly always to a later time. So the timer is not moved: it
// checks the deadline when it fires.
void HttpConnection::set_deadline(TimePoint deadline) {
  state_->passed = false;
  state_->deadline = deadline;
  if (!state_->waits || state_->timer.expiry() > deadline) watch(state_);
}

void HttpConnection::watch(const std::shared_ptr<State>& watched) {
  watched->waits = true;
  watched->timer.expires_at(watched->deadline);
  watched->timer.async_wait([weak = std::weak_ptr<State>(watched)](const ErrorCode& error) {
    const auto state = weak.lock();
    if (error || !state) return;
    state->waits = false;
    if (state->deadline == TimePoint::max()) return;
    if (state->deadline > Clock::now()) return watch(state);
    state->passed = true;
    state->close();
  });
}

void HttpConnection::clear_deadline() {
  state_->stop_waiting();
}

bool HttpConnection::has_deadline_passed() const {
  return state_->passed;
}

void HttpConnection::close() {
  state_->stop_waiting();
  state_->close();
}

bool HttpConnection::is_idle() const {
  tcp::socket& socket = state_->tcp_socket();
  if (!socket.is_open()) return false;
  // More data than the response, in a TLS record larger than the read buffer.
  if (state_->tls && SSL_pending(state_->tls->native_handle()) > 0) return false;
  char byte = 0;
  const auto seen = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

aio::Task<Result<void>> HttpConnection::connect(const ConnectionConfig& config,
                                                TimePoint deadline) {
  const asio::any_io_executor executor = state_->timer.get_executor();
  auto endpoints = co_await resolve(executor, config.host, config.port, deadline);
  if (!endpoints) co_return endpoints.error();

  ErrorCode error;
  for (std::size_t i = 0; i < endpoints->size(); ++i) {
    const auto left = deadline - Clock::now();
    set_deadline(Clock::now() + left / static_cast<int>(endpoints->size() - i));
    state_->close();  // of the previous attempt
    std::tie(error) = co_await state_->socket.async_connect((*endpoints)[i], kNoThrow);
    if (!error) break;
  }
  if (state_->passed) co_return deadline_error("connecting took too long");
  if (error) co_return connect_error(error.message());
  state_->socket.set_option(tcp::no_delay(true), error);
  notice_death(state_->socket.native_handle());
  set_deadline(deadline);
  if (!context_) co_return Result<void>();

  ERR_clear_error();
  SSL* const ssl = SSL_new(context_.get());
  if (ssl == nullptr) co_return connect_error("TLS: no memory");
  state_->tls = std::make_unique<asio::ssl::stream<tcp::socket>>(std::move(state_->socket), ssl);
  const std::string& name = config.server_name.empty() ? config.host : config.server_name;
  if (!expect_server_name(ssl, name)) {
    co_return connect_error("the name " + name + " cannot be asked for");
  }
  std::tie(error) = co_await state_->tls->async_handshake(asio::ssl::stream_base::client, kNoThrow);
  if (!error) co_return Result<void>();
  if (state_->passed) co_return deadline_error("the TLS handshake took too long");
  co_return connect_error(handshake_problem(ssl, name, error.message()));
}

bool HttpConnection::has_begun_handshake() const {
  return state_->tls != nullptr;
}

aio::Task<TransferResult> HttpConnection::write(std::string_view bytes) {
  TransferResult result;
  // After the process was frozen or the loop blocked, the deadline may have passed before the timer
  // fired. A late request is not sent at all.
  if (Clock::now() >= state_->deadline) {
    state_->passed = true;
    state_->close();
    result.error = asio::error::timed_out;
    co_return result;
  }
  const asio::const_buffer buffer(bytes.data(), bytes.size());
  if (state_->tls) {
    std::tie(result.error, result.bytes) =
        co_await asio::async_write(*state_->tls, buffer, kNoThrow);
  } else {
    std::tie(result.error, result.bytes) =
        co_await asio::async_write(state_->socket, buffer, kNoThrow);
  }
  co_return result;
}

aio::Task<TransferResult> HttpConnection::read_some(std::span<char> bytes) {
  TransferResult result;
  const asio::mutable_buffer buffer(bytes.data(), bytes.size());
  if (state_->tls) {
    std::tie(result.error, result.bytes) = co_await state_->tls->async_read_some(buffer, kNoThrow);
  } else {
    std::tie(result.error, result.bytes) =
        co_await state_->socket.async_read_some(buffer, kNoThrow);
  }
  co_return result;
}

}  // namespace dynamo::kube

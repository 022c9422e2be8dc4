#include "tests/doctor/tls_endpoint.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <ctime>
#include <utility>

#include "aio/task.hpp"

namespace dynamo::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

std::string answer_of(const TlsEndpoint::Behaviour& behaviour) {
  const std::time_t time = std::chrono::system_clock::to_time_t(behaviour.time);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 64> date{};
  const std::size_t size =
      std::strftime(date.data(), date.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return "HTTP/1.1 " + std::to_string(behaviour.status) +
         " Whatever\r\nDate: " + std::string(date.data(), size) + "\r\nContent-Length: 0\r\n\r\n";
}

aio::Task<> talk(tcp::socket socket, TlsEndpoint::Behaviour behaviour) {
  std::array<char, 4096> piece;
  const std::string answer = answer_of(behaviour);
  if (behaviour.mode == ResponseMode::kNoTls) {
    co_await asio::async_write(socket, asio::buffer(answer), kNoThrow);
    co_return;
  }
  if (behaviour.mode == ResponseMode::kNoHandshake) {
    for (bool is_open = true; is_open;) {
      const auto [error, size] = co_await socket.async_read_some(asio::buffer(piece), kNoThrow);
      is_open = !error;
    }
    co_return;
  }
  asio::ssl::context context(asio::ssl::context::tls_server);
  context.use_certificate_chain(asio::buffer(behaviour.pair.certificate_pem));
  context.use_private_key(asio::buffer(behaviour.pair.key_pem), asio::ssl::context::pem);
  if (behaviour.mode == ResponseMode::kWantsCertificate) {
    context.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
  }
  asio::ssl::stream<tcp::socket> stream(std::move(socket), context);
  const auto [refused] = co_await stream.async_handshake(asio::ssl::stream_base::server, kNoThrow);
  if (refused || behaviour.mode == ResponseMode::kHangsUp) co_return;
  for (bool is_open = true; is_open;) {
    const auto [error, size] = co_await stream.async_read_some(asio::buffer(piece), kNoThrow);
    is_open = !error;
    if (!is_open || behaviour.mode == ResponseMode::kSaysNothing) continue;
    co_await asio::async_write(stream, asio::buffer(answer), kNoThrow);
  }
}

}  // namespace

struct TlsEndpoint::State {
  explicit State(asio::io_context& loop) : acceptor(loop, {asio::ip::address_v4::loopback(), 0}) {}

  static aio::Task<> accept(std::shared_ptr<State> self) {
    while (self->acceptor.is_open()) {
      auto [error, socket] = co_await self->acceptor.async_accept(kNoThrow);
      if (error) co_return;
      ++self->connections;
      const auto executor = self->acceptor.get_executor();
      asio::co_spawn(executor, talk(std::move(socket), self->behaviour), asio::detached);
    }
  }

  tcp::acceptor acceptor;
  Behaviour behaviour;
  std::size_t connections = 0;
};

TlsEndpoint::TlsEndpoint(asio::io_context& loop) : state_(std::make_shared<State>(loop)) {
  asio::co_spawn(loop, State::accept(state_), asio::detached);
}

TlsEndpoint::~TlsEndpoint() {
  if (state_) close();
}

TlsEndpoint::TlsEndpoint(TlsEndpoint&&) noexcept = default;

unsigned short TlsEndpoint::port() const {
  return state_->acceptor.local_endpoint().port();
}

TlsEndpoint::Behaviour& TlsEndpoint::behaviour() {
  return state_->behaviour;
}

void TlsEndpoint::close() {
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
}

std::size_t TlsEndpoint::connections() const {
  return state_->connections;
}

}  // namespace dynamo::test

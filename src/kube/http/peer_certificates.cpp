#include "kube/http/peer_certificates.hpp"

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <memory>
#include <tuple>
#include <utility>

#include "kube/http/http_answer.hpp"
#include "tls/pem.hpp"

namespace dynamo::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

Error unreachable(const std::string& host, const std::string& port, std::string_view why) {
  Error error;
  error.failure = FailureKind::kConnect;
  error.text = "cannot reach " + host_and_port(host, port) + " from here: " + std::string(why);
  return error;
}

Error unwilling(const std::string& host, const std::string& port, std::string_view why) {
  Error error;
  error.failure = FailureKind::kProtocol;
  error.text = host_and_port(host, port) + ": TLS handshake failed: " + std::string(why);
  return error;
}

// Shared with the timer's handler, which may run after the coroutine.
struct Probe {
  explicit Probe(const asio::any_io_executor& executor)
      : context(asio::ssl::context::tls_client), stream(executor, context), timer(executor) {
    context.set_verify_mode(asio::ssl::verify_none);
    SSL_set_cert_cb(stream.native_handle(), note_request, &wants_certificate);
  }
  void give_up() {
    is_late = true;
    ErrorCode ignored;
    stream.next_layer().close(ignored);
  }

  // Called for a client certificate request; the handshake continues without one.
  static int note_request(SSL*, void* is_wanted) {
    *static_cast<bool*>(is_wanted) = true;
    return 1;
  }

  asio::ssl::context context;
  asio::ssl::stream<tcp::socket> stream;
  asio::steady_timer timer;
  bool is_late = false;
  bool wants_certificate = false;
};

std::string chain_of(SSL* ssl) {
  std::string pem;
  STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    pem += tls::pem_of(sk_X509_value(chain, i));
  }
  return pem;
}

std::string request_for(const std::string& server_name, const std::string& user_agent) {
  return "GET / HTTP/1.1\r\nHost: " + server_name + "\r\nUser-Agent: " + user_agent +
         "\r\nConnection: close\r\n\r\n";
}

// Requests a page that no webhook has: any answer proves that a server is running, and has its
// time.
aio::Task<> talk(Probe& probe, const std::string& request, ProbedPeer& peer) {
  constexpr std::size_t kPiece = std::size_t{4} << 10U;
  AnswerParser parser(AnswerLimits{.body_bytes = kPiece});
  const auto [write_error, written] =
      co_await asio::async_write(probe.stream, asio::buffer(request), kNoThrow);
  ErrorCode error = write_error;
  std::array<char, kPiece> piece;
  while (!error && !parser.has_header() && parser.failure() == nullptr) {
    const auto [read_error, size] =
        co_await probe.stream.async_read_some(asio::buffer(piece), kNoThrow);
    parser.feed({piece.data(), size});
    error = read_error;
  }
  if (parser.has_header()) {
    peer.status = parser.status();
    peer.date = parser.date();
  } else if (probe.is_late) {
    peer.silence = "no answer in time";
  } else if (parser.failure() != nullptr) {
    peer.silence = parser.failure()->text;
  } else {
    peer.silence = error.message();
  }
}

}  // namespace

std::string host_and_port(const std::string& host, const std::string& port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? '[' + host + ']' : host) + ':' + port;
}

aio::Task<Result<ProbedPeer>> ask_peer(std::string host, std::string port, std::string server_name,
                                       std::string user_agent, std::chrono::milliseconds deadline) {
  ErrorCode error;
  const auto address = asio::ip::make_address(host, error);
  unsigned short number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error || read.ec != std::errc{} || number == 0) {
    co_return unreachable(host, port, "this is no address and port");
  }
  const auto executor = co_await asio::this_coro::executor;
  const auto probe = std::make_shared<Probe>(executor);
  probe->timer.expires_after(deadline);
  probe->timer.async_wait([weak = std::weak_ptr<Probe>(probe)](const ErrorCode& cancelled) {
    const auto late = weak.lock();
    if (!cancelled && late) late->give_up();
  });
  const auto reason = [&] {
    return probe->is_late ? std::string("no answer in time") : error.message();
  };
  SSL_set_tlsext_host_name(probe->stream.native_handle(), server_name.c_str());
  std::tie(error) =
      co_await probe->stream.next_layer().async_connect(tcp::endpoint(address, number), kNoThrow);
  if (error) {
    probe->timer.cancel();
    co_return unreachable(host, port, reason());
  }
  std::tie(error) =
      co_await probe->stream.async_handshake(asio::ssl::stream_base::client, kNoThrow);
  if (error) {
    probe->timer.cancel();
    co_return unwilling(host, port, reason());
  }
  ProbedPeer peer;
  peer.chain_pem = chain_of(probe->stream.native_handle());
  peer.wants_certificate = probe->wants_certificate;
  if (!peer.wants_certificate) {
    const std::string request = request_for(server_name, user_agent);
    co_await talk(*probe, request, peer);
  }
  probe->timer.cancel();
  co_return peer;
}

}  // namespace dynamo::kube

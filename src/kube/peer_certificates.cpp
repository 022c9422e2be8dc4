#include "kube/peer_certificates.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <memory>
#include <tuple>
#include <utility>

namespace dynamo::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

Error unreachable(const std::string& host, const std::string& port, std::string_view why) {
  Error error;
  error.failure = Failure::kConnect;
  error.text = "cannot reach " + host + ':' + port + " from here: " + std::string(why);
  return error;
}

// Shared with the timer's handler, which may run after the coroutine.
struct Probe {
  explicit Probe(const asio::any_io_executor& executor)
      : context(asio::ssl::context::tls_client), stream(executor, context), timer(executor) {
    context.set_verify_mode(asio::ssl::verify_none);
  }
  void give_up() {
    is_late = true;
    ErrorCode ignored;
    stream.next_layer().close(ignored);
  }

  asio::ssl::context context;
  asio::ssl::stream<tcp::socket> stream;
  asio::steady_timer timer;
  bool is_late = false;
};

std::string chain_of(SSL* ssl) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    PEM_write_bio_X509(out.get(), sk_X509_value(chain, i));
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Task<Result<std::string>> peer_certificates(std::string host, std::string port,
                                            std::string server_name,
                                            std::chrono::milliseconds deadline) {
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
  SSL_set_tlsext_host_name(probe->stream.native_handle(), server_name.c_str());
  std::tie(error) =
      co_await probe->stream.next_layer().async_connect(tcp::endpoint(address, number), kNoThrow);
  if (!error) {
    std::tie(error) =
        co_await probe->stream.async_handshake(asio::ssl::stream_base::client, kNoThrow);
  }
  probe->timer.cancel();
  if (probe->is_late) co_return unreachable(host, port, "no answer in time");
  if (error) co_return unreachable(host, port, error.message());
  co_return chain_of(probe->stream.native_handle());
}

}  // namespace dynamo::kube

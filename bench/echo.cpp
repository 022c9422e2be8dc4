// The yard-stick of the benchmark: the least that a Boost.Beast server can do for a request over
// TLS. It reads the whole body and answers a fixed verdict; what dynamo-webhook costs more than
// this is what judging costs. One thread, HTTP/1.1 kept alive, buffers reused from request to
// request.

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using boost::system::error_code;

// As large as two TLS records: a 28 KB review then needs two reads, not seven.
constexpr std::size_t kReadBufferBytes = 32 * 1024;
constexpr std::uint64_t kMaxBodyBytes = 8 * 1024 * 1024;
constexpr int kMaxConnections = 4096;

constexpr std::string_view kVerdict =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)"
    R"({"uid":"00000000-0000-0000-0000-000000000000","allowed":true,)"
    R"("status":{"metadata":{},"code":200,"message":"echo: not judged"}}})";

// One connection. It owns itself: the pending operation holds the only reference, so it dies with
// the first error, at end of stream, or with the io_context.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, ssl::context& tls, int& connections)
      : stream_(std::move(socket), tls), connections_(connections) {
    ++connections_;
    buffer_.reserve(kReadBufferBytes);
    answer_.version(11);
    answer_.result(http::status::ok);
    answer_.set(http::field::content_type, "application/json");
    answer_.body() = kVerdict;
    answer_.prepare_payload();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { --connections_; }

  void start() {
    stream_.async_handshake(ssl::stream_base::server,
                            [self = shared_from_this()](error_code error) {
                              if (!error) self->read();
                            });
  }

 private:
  void read() {
    // A parser serves one message; the body's memory is handed from each to the next.
    std::string body;
    if (parser_) body = std::move(parser_->get().body());
    body.clear();
    parser_.emplace();
    parser_->body_limit(kMaxBodyBytes);
    parser_->get().body() = std::move(body);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->write();
                     });
  }

  void write() {
    http::async_write(stream_, answer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error && self->parser_->get().keep_alive()) self->read();
    });
  }

  ssl::stream<tcp::socket> stream_;
  int& connections_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> answer_;
};

class Listener {
 public:
  Listener(net::io_context& context, const tcp::endpoint& endpoint, ssl::context& tls)
      : acceptor_(context, endpoint), tls_(tls) {}

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (!error && connections_ < kMaxConnections) {
        socket.set_option(tcp::no_delay(true), error);
        std::make_shared<Session>(std::move(socket), tls_, connections_)->start();
      }
      accept();
    });
  }

 private:
  tcp::acceptor acceptor_;
  ssl::context& tls_;
  int connections_ = 0;
};

// "ADDRESS:PORT", as the other servers of the benchmark take it.
tcp::endpoint parse_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    throw std::invalid_argument("--bind-address must be ADDRESS:PORT");
  const unsigned long port = std::stoul(text.substr(colon + 1));
  if (port > UINT16_MAX)
    throw std::invalid_argument("--bind-address: the port must be below 65536");
  return {net::ip::make_address(text.substr(0, colon)), static_cast<std::uint16_t>(port)};
}

void serve(const std::string& bind_address, const std::string& cert_dir, int max_seconds) {
  ssl::context tls(ssl::context::tls_server);
  tls.use_certificate_chain_file(cert_dir + "/tls.crt");
  tls.use_private_key_file(cert_dir + "/tls.key", ssl::context::pem);
  // The cipher that the webhook prefers, or the client would choose a dearer one for the echo only.
  SSL_CTX_set_ciphersuites(tls.native_handle(), "TLS_AES_128_GCM_SHA256");

  net::io_context context(1);
  Listener listener(context, parse_endpoint(bind_address), tls);
  listener.accept();

  net::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&](error_code, int) { context.stop(); });
  // An echo whose driver was killed must not stay for ever.
  net::steady_timer end(context, std::chrono::seconds(max_seconds));
  end.async_wait([&](error_code) { context.stop(); });
  context.run();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Bare TLS server that the benchmark measures against"};
  std::string bind_address = "127.0.0.1:9443";
  std::string cert_dir;
  int max_seconds = 3600;
  app.add_option("--bind-address", bind_address, "ADDRESS:PORT to serve on")->capture_default_str();
  app.add_option("--cert-dir", cert_dir, "Folder with tls.crt and tls.key")->required();
  app.add_option("--max-seconds", max_seconds, "Stop after this time, whatever happens")
      ->check(CLI::Range(1, 24 * 3600))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    serve(bind_address, cert_dir, max_seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_echo: %s\n", error.what());
    return 1;
  }
  return 0;
}

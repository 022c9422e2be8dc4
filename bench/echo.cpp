// The baseline of the benchmark: the minimum that a Boost.Beast server does for a request over TLS.
// It reads the whole body and returns a fixed verdict; the additional cost of dynamo-webhook is the
// cost of validation. One thread, HTTP/1.1 keep-alive, buffers reused across requests.

#include <array>
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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "runtime/flags.hpp"

namespace dynamo::bench {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using boost::system::error_code;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""s;

// As large as two TLS records: a 28 KB review then needs two reads instead of seven.
constexpr std::size_t kReadBufferBytes = 32 * 1024;
constexpr std::uint64_t kMaxBodyBytes = 8 * 1024 * 1024;
constexpr int kMaxConnections = 4096;

constexpr std::string_view kVerdict =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)"
    R"({"uid":"00000000-0000-0000-0000-000000000000","allowed":true,)"
    R"("status":{"metadata":{},"code":200,"message":"echo: not validated"}}})";

// One connection. It owns itself: the pending operation holds the only reference, so it is
// destroyed at the first error, at the end of the stream, or with the io_context.
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
    // A parser serves one message; the body's memory is passed from one to the next.
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

using runtime::AddressForm;
using runtime::DurationForm;
using runtime::into;
using runtime::PathForm;

struct Options {
  runtime::Address bind_address;
  std::string cert_dir;
  std::chrono::nanoseconds longest_run{};
};

constexpr std::array<runtime::UsageExample, 1> kExamples{
    {{"with the certificate of a benchmark",
      "bench_echo --bind-address 127.0.0.1:9443 --cert-dir DIR"}}};

std::optional<std::string> check(Options& options, const runtime::ParsedFlags& /*given*/) {
  if (options.cert_dir.empty()) return "--cert-dir must be given";
  return std::nullopt;
}

runtime::FlagTable<Options> flag_table() {
  return {
      {.name = "bench_echo",
       .purpose = "the bare TLS server that the benchmark measures against",
       .examples = kExamples,
       .table = "bench/echo.cpp"},
      {{"Server",
        {{"bind-address", into(&Options::bind_address, AddressForm{}), "127.0.0.1:9443",
          "Where to serve."},
         {"cert-dir", into(&Options::cert_dir, PathForm{}), "", "Folder with tls.crt and tls.key."},
         {"longest-run", into(&Options::longest_run, DurationForm{1s, 24h}), "1h",
          "It ends after this time, whatever happens."}}}},
      &check};
}

tcp::endpoint endpoint_of(const runtime::Address& address) {
  if (address.host.empty()) return {tcp::v6(), address.port};
  return {net::ip::make_address(address.host), address.port};
}

void serve(const Options& options) {
  ssl::context tls(ssl::context::tls_server);
  tls.use_certificate_chain_file(options.cert_dir + "/tls.crt");
  tls.use_private_key_file(options.cert_dir + "/tls.key", ssl::context::pem);
  // The webhook's preferred cipher; otherwise the client would choose a more expensive one for the
  // echo only.
  SSL_CTX_set_ciphersuites(tls.native_handle(), "TLS_AES_128_GCM_SHA256");

  net::io_context context(1);
  Listener listener(context, endpoint_of(options.bind_address), tls);
  listener.accept();

  net::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&](error_code, int) { context.stop(); });
  // Ends an echo server whose driver was killed.
  net::steady_timer end(context, options.longest_run);
  end.async_wait([&](error_code) { context.stop(); });
  context.run();
}

}  // namespace
}  // namespace dynamo::bench

int main(int argc, char** argv) {
  namespace bench = dynamo::bench;
  namespace runtime = dynamo::runtime;
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  const auto parsed = runtime::parse_flags(bench::flag_table(), arguments.subspan(1));
  if (const auto* const exit = std::get_if<runtime::EarlyExit>(&parsed)) {
    std::fputs(exit->text.c_str(), exit->code == 0 ? stdout : stderr);
    return exit->code;
  }
  try {
    bench::serve(std::get<bench::Options>(parsed));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_echo: %s\n", error.what());
    return 1;
  }
  return 0;
}

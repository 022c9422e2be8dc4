#include "bench/load/connection.hpp"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <string_view>
#include <utility>

namespace dynamo::bench {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kReadBufferBytes = 8 * 1024;
constexpr std::uint64_t kMaxResponseBytes = 8 * 1024 * 1024;

std::string leaf_digest(SSL* ssl) {
  const std::unique_ptr<X509, decltype(&X509_free)> leaf(SSL_get1_peer_certificate(ssl),
                                                         &X509_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (!leaf || X509_digest(leaf.get(), EVP_sha256(), digest.data(), &size) != 1) return {};
  return {digest.begin(), digest.begin() + size};
}

}  // namespace

Connection::Connection(net::io_context& loop, ssl::context& tls, ConnectionOwner& owner,
                       std::size_t slot)
    : stream_(loop, tls), owner_(&owner), slot_(slot) {
  buffer_.reserve(kReadBufferBytes);
}

void Connection::open(const net::ip::tcp::endpoint& server) {
  stream_.next_layer().async_connect(server, [self = shared_from_this()](const error_code& error) {
    if (error) {
      self->fail(error);
    } else {
      self->handshake();
    }
  });
}

void Connection::handshake() {
  error_code ignored;
  stream_.next_layer().set_option(net::ip::tcp::no_delay(true), ignored);
  stream_.async_handshake(ssl::stream_base::client,
                          [self = shared_from_this()](const error_code& error) {
                            if (error) {
                              self->fail(error);
                              return;
                            }
                            if (self->owner_ == nullptr) return;
                            self->read();
                            const std::string leaf = leaf_digest(self->stream_.native_handle());
                            self->owner_->on_open(self->slot_, leaf);
                          });
}

void Connection::send(const Request& request, bool is_last) {
  request_ = &request;
  is_last_ = is_last;
  is_written_ = is_read_ = false;
  net::async_write(stream_, net::buffer(request.bytes),
                   [self = shared_from_this()](const error_code& error, std::size_t) {
                     if (error) {
                       self->fail(error);
                       return;
                     }
                     self->is_written_ = true;
                     self->complete_exchange();
                   });
}

void Connection::abandon() {
  owner_ = nullptr;
  error_code ignored;
  stream_.next_layer().close(ignored);
}

void Connection::finish() {
  owner_ = nullptr;
  stream_.async_shutdown([self = shared_from_this()](const error_code&) {
    error_code ignored;
    self->stream_.next_layer().close(ignored);
  });
}

// A read is always pending, so that the end of an idle connection is noticed before the next
// request.
void Connection::read() {
  std::string body;
  if (parser_) body = std::move(parser_->get().body());
  body.clear();
  parser_.emplace();
  parser_->body_limit(kMaxResponseBytes);
  parser_->get().body() = std::move(body);
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, std::size_t) { self->on_read(error); });
}

void Connection::on_read(const error_code& error) {
  if (error || request_ == nullptr) {
    fail(error ? error : http::make_error_code(http::error::unexpected_body));
    return;
  }
  is_read_ = true;
  complete_exchange();
}

void Connection::complete_exchange() {
  if (owner_ == nullptr || !is_written_ || !is_read_) return;
  const Outcome result = outcome();
  const bool is_reusable = !is_last_ && parser_->get().keep_alive();
  request_ = nullptr;
  if (is_reusable) read();
  owner_->on_response(slot_, result, is_reusable);
}

Outcome Connection::outcome() const {
  const auto& response = parser_->get();
  if (response.result_int() != 200) return static_cast<Outcome>(response.result_int());
  const std::string_view body = response.body();
  if (body.find(request_->uid) == std::string_view::npos) return Outcome::kOtherResponse;
  return body.find(request_->expected) == std::string_view::npos ? Outcome::kUnexpectedVerdict
                                                                 : Outcome::kExpected;
}

void Connection::fail(const error_code& error) {
  if (owner_ == nullptr) return;
  ConnectionOwner& owner = *owner_;
  abandon();
  owner.on_end(slot_, error);
}

}  // namespace dynamo::bench

// A kept-alive HTTPS connection that carries one request at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bench/load/requests.hpp"

namespace dynamo::bench {

// The result of a request: one of these values, or an HTTP status other than 200.
enum class Outcome : std::uint16_t {
  kExpected = 0,
  kUnexpectedVerdict = 1,
  kOtherResponse = 2,  // without the request's uid
  kLost = 3,           // the connection ended before the response
  kTimeout = 4,
  kNotSent = 5,  // no connection was free until its timeout
};

class ConnectionOwner {
 public:
  // The handshake is complete; `leaf` is the digest of the server's certificate.
  virtual void on_open(std::size_t slot, const std::string& leaf) = 0;
  // The response is complete. The connection takes another request if it `is_reusable`.
  virtual void on_response(std::size_t slot, Outcome outcome, bool is_reusable) = 0;
  // The connection ended: while it opened, while it was idle, or during a request.
  virtual void on_end(std::size_t slot, const boost::system::error_code& error) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// Belongs to the loop's thread. Pending operations keep it alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `tls`, which verifies the server, `owner` and the loop must outlive it; `slot` is the owner's
  // name for it.
  Connection(boost::asio::io_context& loop, boost::asio::ssl::context& tls, ConnectionOwner& owner,
             std::size_t slot);

  // Calls on_open() or on_end() later.
  void open(const boost::asio::ip::tcp::endpoint& server);
  // Only after on_open(), or on_response() with a reusable connection. `request` must outlive the
  // connection, which is not reusable after the response if this `is_last`. Calls on_response() or
  // on_end() later.
  void send(const Request& request, bool is_last);
  // Closes the socket. No call to the owner follows.
  void abandon();
  // Ends TLS, then closes the socket. Only after on_response() with a connection that is not
  // reusable. No call to the owner follows.
  void finish();

 private:
  void handshake();
  void read();
  void on_read(const boost::system::error_code& error);
  void complete_exchange();
  Outcome outcome() const;
  void fail(const boost::system::error_code& error);

  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  ConnectionOwner* owner_;  // null after the last call
  const std::size_t slot_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::string_body>> parser_;
  const Request* request_ = nullptr;  // null while idle
  bool is_last_ = false;
  bool is_written_ = false;
  bool is_read_ = false;
};

}  // namespace dynamo::bench

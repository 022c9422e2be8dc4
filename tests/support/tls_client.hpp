// Blocking HTTP clients for tests, plain and TLS, that send exact bytes. Every wait ends after ten
// seconds with an exception, so that no test can hang.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::test {

// The peer closed the connection, a wait timed out, or the handshake failed; see what().
struct ClientError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ClientAnswer {
  unsigned status = 0;
  std::string head;  // status line and headers
  std::string body;

  // The value of a header, matched case-insensitively; empty if absent.
  std::string header(std::string_view name) const;
  bool closes_connection() const { return header("connection") == "close"; }
};

// A TCP connection to 127.0.0.1.
class TcpClient {
 public:
  // Connects from `source`, a loopback address; empty: the system chooses.
  explicit TcpClient(std::uint16_t port, const std::string& source = "");
  virtual ~TcpClient();
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  virtual void send(std::string_view bytes);

  // Returns the available data, at least one byte; empty at the end of the stream.
  virtual std::string receive();

  // Reads the next response by its Content-Length; bytes after it are kept for the next call.
  // Interim responses (1xx) are returned like others.
  ClientAnswer read_answer(bool without_body = false);

  // Sends the request and reads the response.
  ClientAnswer ask(std::string_view request);

  // Reads until the end of the stream or a reset.
  std::string read_to_end();

  // True if the peer ends the stream within `time` without sending another byte.
  bool is_closed_within(std::chrono::milliseconds time);

  // True if the socket has no activity for `time`.
  bool stays_quiet_for(std::chrono::milliseconds time);

  // Shuts down the sending direction of the TCP connection.
  void finish_sending();

  // Closes with a TCP reset, like a crashed peer.
  void reset();

  int socket() const { return socket_; }

 protected:
  int socket_ = -1;
  std::string received_;  // not yet consumed
};

struct TlsClientOptions {
  std::uint16_t port = 0;
  std::string source;  // source address, as in TcpClient
  std::string ca_pem;  // CA that must have signed the server's certificate
  std::string server_name = "localhost";
  int max_version = 0;                 // TLS1_2_VERSION ...; 0: the newest
  std::vector<std::string> protocols;  // offered in ALPN; none if empty
  std::string certificate_pem;         // sent if the server requests one
  std::string key_pem;
  bool allow_old = false;  // enables TLS 1.1, which OpenSSL rejects by default
  bool handshakes = true;  // handshake in the constructor
};

// A TlsClient is a TcpClient over TLS. The constructor completes the handshake or throws
// ClientError.
class TlsClient final : public TcpClient {
 public:
  explicit TlsClient(const TlsClientOptions& options);
  ~TlsClient() override;

  // Call once, only if `handshakes` is false.
  void shake_hands();

  void send(std::string_view bytes) override;
  std::string receive() override;

  // "http/1.1", or empty if ALPN selected none.
  std::string protocol() const;
  // True if the peer sent close_notify before it ended the stream.
  bool was_closed_in_order() const { return was_closed_in_order_; }
  // Escape hatch for operations that this class lacks; owned by this object.
  SSL* connection() { return ssl_.get(); }
  // The server certificate's serial number in hexadecimal.
  std::string server_serial() const;

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
  bool was_closed_in_order_ = false;
};

}  // namespace dynamo::test

// Blocking HTTP clients for tests, plain and TLS, that send exactly the bytes they are told. Every
// wait ends after ten seconds with an exception, so that no test can hang.
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

// The peer closed, the wait was too long, or the handshake failed; what() says which.
struct ClientError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ClientAnswer {
  unsigned status = 0;
  std::string head;  // status line and headers
  std::string body;

  // The value of a header, names compared without case; empty when absent.
  std::string header(std::string_view name) const;
  bool says_close() const { return header("connection") == "close"; }
};

// A TCP connection to 127.0.0.1.
class TcpClient {
 public:
  // From `source`, an address of the loopback interface; empty: the system's choice.
  explicit TcpClient(std::uint16_t port, const std::string& source = "");
  virtual ~TcpClient();
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  virtual void send(std::string_view bytes);

  // What is there, at least one byte; empty at the end of the stream.
  virtual std::string receive();

  // Reads the next answer, by its Content-Length; bytes behind it are kept for the one after.
  // Interim answers (1xx) are returned like others.
  ClientAnswer read_answer(bool without_body = false);

  // Sends and reads the answer.
  ClientAnswer ask(std::string_view request);

  // Everything up to the end of the stream, or up to a reset.
  std::string read_to_end();

  // True when the peer ends the stream within `time` without sending a byte more.
  bool is_closed_within(std::chrono::milliseconds time);

  // True when nothing happens on the socket for `time`.
  bool stays_quiet_for(std::chrono::milliseconds time);

  // Ends our direction of the TCP connection.
  void finish_sending();

  // Closes with a TCP reset, as a peer does that crashed.
  void reset();

  int socket() const { return socket_; }

 protected:
  int socket_ = -1;
  std::string received_;  // not yet asked for
};

struct TlsClientOptions {
  std::uint16_t port = 0;
  std::string source;  // as of TcpClient
  std::string ca_pem;  // the server's certificate must be signed by it
  std::string server_name = "localhost";
  int max_version = 0;                 // TLS1_2_VERSION …; 0: the newest
  std::vector<std::string> protocols;  // offered by ALPN; none when empty
  std::string certificate_pem;         // shown to a server that asks for one
  std::string key_pem;
  bool allow_old = false;  // lets TLS 1.1 be offered, which OpenSSL refuses by default
  bool handshakes = true;  // in the constructor
};

// The same over TLS. The constructor completes the handshake or throws ClientError.
class TlsClient final : public TcpClient {
 public:
  explicit TlsClient(const TlsClientOptions& options);
  ~TlsClient() override;

  // Once, when the options said that the constructor must not.
  void shake_hands();

  void send(std::string_view bytes) override;
  std::string receive() override;

  // "http/1.1", or empty when none was agreed on.
  std::string protocol() const;
  // True when the peer said close_notify before it ended the stream.
  bool was_closed_in_order() const { return was_closed_in_order_; }
  // For what this class cannot do; owned by this.
  SSL* connection() { return ssl_.get(); }
  // The serial number of the server's certificate, as hexadecimal text.
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

// TLS over one non-blocking socket, directly on OpenSSL: records are decrypted from the socket into
// the caller's buffer without a pair of memory BIOs. This saves memory and copies per connection.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "server/counters.hpp"
#include "tls/openssl.hpp"

namespace dynamo::server {

enum class TlsStatus : unsigned char {
  kDone,       // bytes were transferred, or the step is complete
  kWantRead,   // call again when the socket is readable
  kAgain,      // call again after other connections; the socket may have more
  kWantWrite,  // call again when the socket is writable
  kClosed,     // the peer has ended the stream, cleanly or not
  kFailed,     // protocol error; the stream is unusable
};

struct TlsResult {
  TlsStatus status;
  std::size_t bytes = 0;
};

// Server side. Never blocks, never raises SIGPIPE. Not thread-safe. Not movable, because OpenSSL
// keeps a pointer to it.
class TlsStream {
 public:
  // Borrows the non-blocking `socket`. Keeps `context` alive, so that a certificate reload does not
  // affect this connection. `context` must not be null. Throws std::bad_alloc if OpenSSL is out of
  // memory.
  TlsStream(std::shared_ptr<SSL_CTX> context, int socket);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Also returns kFailed if a peer sends more than a handshake may need.
  TlsResult handshake();

  // kDone: at least one byte was read. Reads the socket only if OpenSSL has no decrypted byte, and
  // only a few times. Also returns kFailed if a peer sends records without data:
  // has_only_empty_records().
  TlsResult read(std::span<char> into);

  // kDone: `bytes` (at least one) were accepted; the rest may be passed again from another address.
  TlsResult write(std::span<const char> from);

  // Sends close_notify once, as far as the socket accepts it; does not wait for the peer's.
  void close_notify();

  // True if OpenSSL holds bytes that the socket will not announce again: read before waiting.
  bool has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }

  // For ClientTrust; owned by this.
  SSL* connection() { return ssl_.get(); }

  // After handshake() returned kClosed or kFailed.
  HandshakeFailure handshake_failure() const { return failure_; }
  const std::string& failure_text() const { return failure_text_; }

  // For the peer's certificate.
  const SSL* ssl() const { return ssl_.get(); }

  // It sent key updates or similar records instead of data until it was cut off.
  bool has_only_empty_records() const { return has_only_empty_records_; }

  // Whether the peer has sent anything: a TCP probe has not.
  bool has_received() const { return has_received_; }

 private:
  friend struct SocketBio;

  void begin_reading(int reads, std::size_t most_received);
  TlsResult unfinished(int returned);
  TlsResult no_data(int returned);
  void note_handshake_failure(TlsStatus status);

  std::shared_ptr<SSL_CTX> context_;
  const int socket_;
  bool has_received_ = false;
  // Socket state within the current call.
  int reads_left_ = 0;
  bool socket_is_empty_ = false;
  // Bytes since the last data, and their limit.
  std::size_t received_ = 0;
  std::size_t most_received_ = 0;
  bool has_only_empty_records_ = false;
  bool usable_ = false;  // the handshake is complete, without an error since
  HandshakeFailure failure_ = HandshakeFailure::kOther;
  std::string failure_text_;
  tls::SslPtr ssl_;
};

}  // namespace dynamo::server

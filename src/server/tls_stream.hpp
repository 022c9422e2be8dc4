// TLS over one non-blocking socket, straight on OpenSSL: records are decrypted from the socket into
// the caller's buffer without a pair of memory buffers in between, which is what makes a connection
// cheap in memory and in copies.
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
  kDone,       // bytes were moved, or the step is complete
  kWantRead,   // call again when the socket is readable
  kAgain,      // call again once others had their turn; the socket may have more
  kWantWrite,  // call again when the socket is writable
  kClosed,     // the peer has ended the stream, in good order or not
  kFailed,     // the protocol was broken; the stream is unusable
};

struct TlsResult {
  TlsStatus status;
  std::size_t bytes = 0;
};

// Server side. Never blocks, never raises SIGPIPE. Not thread-safe; stays where it was made,
// because OpenSSL keeps a pointer to it.
class TlsStream {
 public:
  // Borrows the non-blocking `socket`; keeps `context` alive, so that a reload of certificates
  // leaves this connection alone. `context` must not be null. Throws std::bad_alloc when OpenSSL
  // has no memory.
  TlsStream(std::shared_ptr<SSL_CTX> context, int socket);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // kFailed also for a peer that sends more than a handshake may take.
  TlsResult handshake();

  // kDone: at least one byte was read. Asks the socket only when OpenSSL holds no decrypted byte,
  // and no more than a few times. kFailed also for a peer that sends records and no data in them:
  // says_nothing().
  TlsResult read(std::span<char> into);

  // kDone: `bytes` (at least one) were taken; the rest may be offered again from elsewhere.
  TlsResult write(std::span<const char> from);

  // Sends close_notify once, as far as the socket takes it; does not wait for the peer's.
  void close_notify();

  // True while OpenSSL holds bytes the socket will not announce again: read before waiting.
  bool has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }

  // For ClientTrust; owned by this.
  SSL* connection() { return ssl_.get(); }

  // After handshake() said kClosed or kFailed.
  HandshakeFailure handshake_failure() const { return failure_; }
  const std::string& failure_text() const { return failure_text_; }

  // To ask for the peer's certificate.
  const SSL* ssl() const { return ssl_.get(); }

  // It sent changes of keys, or the like, instead of data until it was cut off.
  bool says_nothing() const { return says_nothing_; }

  // Whether the peer has sent anything at all: a TCP probe has not.
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
  // Of the socket, in the call that is running.
  int reads_left_ = 0;
  bool socket_is_empty_ = false;
  // Bytes since data came the last time, and how many they may be.
  std::size_t received_ = 0;
  std::size_t most_received_ = 0;
  bool says_nothing_ = false;
  bool usable_ = false;  // the handshake is complete and nothing was broken since
  HandshakeFailure failure_ = HandshakeFailure::kOther;
  std::string failure_text_;
  tls::SslPtr ssl_;
};

}  // namespace dynamo::server

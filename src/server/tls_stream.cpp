#include "server/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <utility>

namespace dynamo::server {

namespace {

// OpenSSL keeps reading while records with key updates, renegotiation requests or message fragments
// arrive, so a peer that sends them fast enough could block the loop. Therefore each call reads the
// socket only this many times; a read takes at most one record of the largest size.
constexpr int kReadsOfACall = 2;
constexpr int kReadsOfAHandshake = 4;

// Twice the largest record: between two pieces of data there is at most one partial record, and
// occasionally a key update.
constexpr std::size_t kMaxWithoutData = 32 * 1024;

// A client hello has about 2 KiB; the certificate chain is limited by the context.
constexpr std::size_t kMaxOfAHandshake = 64 * 1024;

}  // namespace

// OpenSSL's own socket BIO writes with write(2), which raises SIGPIPE after the peer has closed.
struct SocketBio {
  static int write(BIO* bio, const char* bytes, int size) {
    const auto* stream = static_cast<const TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    ssize_t sent = 0;
    do {
      sent = ::send(stream->socket_, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
    return static_cast<int>(sent);
  }

  static int read(BIO* bio, char* bytes, int size) {
    auto* stream = static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (stream->reads_left_ == 0 || stream->received_ > stream->most_received_) {
      BIO_set_retry_read(bio);
      return -1;
    }
    --stream->reads_left_;
    ssize_t received = 0;
    do {
      received = ::recv(stream->socket_, bytes, static_cast<std::size_t>(size), 0);
    } while (received < 0 && errno == EINTR);
    if (received > 0) {
      stream->has_received_ = true;
      stream->received_ += static_cast<std::size_t>(received);
    }
    if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      stream->socket_is_empty_ = true;
      BIO_set_retry_read(bio);
    }
    return static_cast<int>(received);
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  // Created once and kept until the process ends.
  static const BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* fresh = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
      if (fresh == nullptr) throw std::bad_alloc();
      BIO_meth_set_write(fresh, &write);
      BIO_meth_set_read(fresh, &read);
      BIO_meth_set_ctrl(fresh, &control);
      return fresh;
    }();
    return made;
  }
};

TlsStream::TlsStream(std::shared_ptr<SSL_CTX> context, int socket)
    : context_(std::move(context)), socket_(socket), ssl_(SSL_new(context_.get())) {
  BIO* bio = ssl_ == nullptr ? nullptr : BIO_new(SocketBio::method());
  if (bio == nullptr) {
    ERR_clear_error();
    throw std::bad_alloc();
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
  // Set here and not only in the context, because this class relies on each option: one recv per
  // record instead of two, no buffers between records, and writes that continue from another
  // address.
  SSL_set_read_ahead(ssl_.get(), 1);
  SSL_set_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                               SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // A record without data ends a call, as far as OpenSSL supports it.
  SSL_clear_mode(ssl_.get(), SSL_MODE_AUTO_RETRY);
}

TlsStream::~TlsStream() = default;

void TlsStream::begin_reading(int reads, std::size_t most_received) {
  // SSL_get_error() requires an empty queue. Peeking costs a tenth of clearing it, which would be 2
  // % of a small request.
  if (ERR_peek_error() != 0) ERR_clear_error();
  reads_left_ = reads;
  most_received_ = most_received;
  socket_is_empty_ = false;
}

// The call transferred no data.
TlsResult TlsStream::no_data(int returned) {
  const TlsResult result = unfinished(returned);
  if (result.status != TlsStatus::kWantRead) return result;
  if (received_ <= most_received_) {
    return {socket_is_empty_ ? TlsStatus::kWantRead : TlsStatus::kAgain};
  }
  has_only_empty_records_ = true;
  return {TlsStatus::kFailed};
}

TlsResult TlsStream::unfinished(int returned) {
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {TlsStatus::kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return {TlsStatus::kWantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {TlsStatus::kClosed};
    case SSL_ERROR_SYSCALL:  // reset by the peer
      usable_ = false;
      return {TlsStatus::kClosed};
    default: {
      usable_ = false;
      // The TCP stream ended without close_notify; every request is framed by its length, so
      // nothing is lost.
      const bool ended =
          ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
      return {ended ? TlsStatus::kClosed : TlsStatus::kFailed};
    }
  }
}

TlsResult TlsStream::handshake() {
  begin_reading(kReadsOfAHandshake, kMaxOfAHandshake);
  const int returned = SSL_do_handshake(ssl_.get());
  if (returned == 1) {
    usable_ = true;
    received_ = 0;
    return {TlsStatus::kDone};
  }
  const TlsResult result = no_data(returned);
  if (result.status == TlsStatus::kClosed || result.status == TlsStatus::kFailed) {
    note_handshake_failure(result.status);
    ERR_clear_error();
  }
  return result;
}

TlsResult TlsStream::read(std::span<char> into) {
  begin_reading(kReadsOfACall, kMaxWithoutData);
  std::size_t bytes = 0;
  const int returned = SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes);
  if (returned == 1) {
    received_ = 0;
    return {TlsStatus::kDone, bytes};
  }
  return no_data(returned);
}

TlsResult TlsStream::write(std::span<const char> from) {
  begin_reading(kReadsOfACall, kMaxWithoutData);
  std::size_t bytes = 0;
  const int returned = SSL_write_ex(ssl_.get(), from.data(), from.size(), &bytes);
  if (returned == 1) return {TlsStatus::kDone, bytes};
  return unfinished(returned);
}

void TlsStream::close_notify() {
  if (!usable_) return;
  usable_ = false;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

void TlsStream::note_handshake_failure(TlsStatus status) {
  if (has_only_empty_records_) {
    failure_text_ = "more was sent than a handshake takes";
    return;
  }
  const unsigned long error = ERR_peek_error();
  const char* reason = ERR_reason_error_string(error);
  failure_text_ = reason == nullptr ? "the peer closed the connection" : reason;
  if (status == TlsStatus::kClosed) {
    failure_ = HandshakeFailure::kEof;
    return;
  }
  switch (ERR_GET_REASON(error)) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:  // the first bytes are not a TLS record
    case SSL_R_RECORD_LENGTH_MISMATCH:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNEXPECTED_MESSAGE:
      failure_ = HandshakeFailure::kNotTls;
      return;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_INAPPROPRIATE_FALLBACK:
      failure_ = HandshakeFailure::kVersion;
      return;
    // our check of the client's, then the client's check of ours
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_NO_CERTIFICATE_SET:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      failure_ = HandshakeFailure::kCertificate;
      return;
    default:
      failure_ = HandshakeFailure::kOther;
  }
}

}  // namespace dynamo::server

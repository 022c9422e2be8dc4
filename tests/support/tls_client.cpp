#include "tests/support/tls_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace dynamo::test {

namespace {

constexpr timeval kPatience{10, 0};

// OpenSSL writes to sockets with write(2). Blocks SIGPIPE only for the client's thread, so that a
// server in the same process still has to avoid it.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

std::unique_ptr<BIO, FreeBio> bio_over(const std::string& text) {
  return std::unique_ptr<BIO, FreeBio>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string openssl_error() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

}  // namespace

std::string ClientAnswer::header(std::string_view name) const {
  std::size_t line = head.find("\r\n");
  while (line != std::string::npos) {
    line += 2;
    const std::size_t end = head.find("\r\n", line);
    const std::string_view text = std::string_view(head).substr(line, end - line);
    if (text.size() > name.size() && text[name.size()] == ':' &&
        strncasecmp(text.data(), name.data(), name.size()) == 0) {
      const std::size_t value = text.find_first_not_of(' ', name.size() + 1);
      return value == std::string_view::npos ? "" : std::string(text.substr(value));
    }
    line = end;
  }
  return "";
}

TcpClient::TcpClient(std::uint16_t port, const std::string& source)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  if (!source.empty()) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    ::inet_pton(AF_INET, source.c_str(), &from.sin_addr);
    // Binds without a port, so that the same port can be used from other addresses, too.
    ::setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
    // A non-local address fails at connect().
    static_cast<void>(::bind(socket_, reinterpret_cast<const sockaddr*>(&from), sizeof(from)));
  }
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    ::close(socket_);
    throw ClientError(std::string("connect: ") + std::strerror(error));
  }
}

TcpClient::~TcpClient() {
  if (socket_ >= 0) ::close(socket_);
}

void TcpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw ClientError(std::string("send: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string TcpClient::receive() {
  std::array<char, 16384> bytes;
  for (;;) {
    const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0) throw ClientError(std::string("receive: ") + std::strerror(errno));
    return {bytes.data(), static_cast<std::size_t>(received)};
  }
}

ClientAnswer TcpClient::read_answer(bool without_body) {
  const auto more = [this] {
    const std::string bytes = receive();
    if (bytes.empty()) throw ClientError("the stream ended within an answer: " + received_);
    received_ += bytes;
  };
  ClientAnswer answer;
  std::size_t head_end = 0;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) more();
  answer.head = received_.substr(0, head_end + 2);
  received_.erase(0, head_end + 4);
  if (answer.head.size() < 12 || !answer.head.starts_with("HTTP/1.1 ")) {
    throw ClientError("not an answer: " + answer.head);
  }
  answer.status = static_cast<unsigned>(std::stoul(answer.head.substr(9, 3)));
  const std::string length = answer.header("content-length");
  const std::size_t size = length.empty() || without_body ? 0 : std::stoul(length);
  while (received_.size() < size) more();
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

ClientAnswer TcpClient::ask(std::string_view request) {
  send(request);
  return read_answer();
}

std::string TcpClient::read_to_end() {
  std::string all = std::exchange(received_, {});
  try {
    for (std::string bytes = receive(); !bytes.empty(); bytes = receive()) all += bytes;
  } catch (const ClientError&) {
    if (errno != ECONNRESET) throw;
  }
  return all;
}

bool TcpClient::is_closed_within(std::chrono::milliseconds time) {
  pollfd waited{socket_, POLLIN, 0};
  if (::poll(&waited, 1, static_cast<int>(time.count())) != 1) return false;
  try {
    return receive().empty();
  } catch (const ClientError&) {
    return true;  // connection reset
  }
}

bool TcpClient::stays_quiet_for(std::chrono::milliseconds time) {
  pollfd waited{socket_, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(time.count())) == 0;
}

void TcpClient::finish_sending() {
  ::shutdown(socket_, SHUT_WR);
}

void TcpClient::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  ::close(std::exchange(socket_, -1));
}

TlsClient::TlsClient(const TlsClientOptions& options)
    : TcpClient(options.port, options.source), context_(SSL_CTX_new(TLS_client_method())) {
  if (!options.ca_pem.empty()) {
    const auto pem = bio_over(options.ca_pem);
    X509* ca = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!options.certificate_pem.empty()) {
    const auto certificate_pem = bio_over(options.certificate_pem);
    X509* certificate = PEM_read_bio_X509(certificate_pem.get(), nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context_.get(), certificate);
    X509_free(certificate);
    const auto key_pem = bio_over(options.key_pem);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr);
    SSL_CTX_use_PrivateKey(context_.get(), key);
    EVP_PKEY_free(key);
  }
  if (options.allow_old) SSL_CTX_set_security_level(context_.get(), 0);
  if (options.max_version != 0) {
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), options.max_version);
  }
  std::string protocols;
  for (const std::string& protocol : options.protocols) {
    protocols += static_cast<char>(protocol.size());
    protocols += protocol;
  }
  SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned>(protocols.size()));
  SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS);  // tests keep many idle clients
  ssl_.reset(SSL_new(context_.get()));
  SSL_set_fd(ssl_.get(), socket_);
  SSL_set_tlsext_host_name(ssl_.get(), options.server_name.c_str());
  SSL_set1_host(ssl_.get(), options.server_name.c_str());
  if (options.handshakes) shake_hands();
}

void TlsClient::shake_hands() {
  const WithoutSigpipe guard;
  ERR_clear_error();
  if (SSL_connect(ssl_.get()) != 1) throw ClientError("handshake: " + openssl_error());
}

TlsClient::~TlsClient() = default;

void TlsClient::send(std::string_view bytes) {
  if (bytes.empty()) return;
  const WithoutSigpipe guard;
  ERR_clear_error();
  if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0) {
    throw ClientError("send: " + openssl_error());
  }
}

std::string TlsClient::receive() {
  std::array<char, 16384> bytes;
  const WithoutSigpipe guard;
  ERR_clear_error();
  const int received = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
  if (received > 0) return {bytes.data(), static_cast<std::size_t>(received)};
  switch (SSL_get_error(ssl_.get(), received)) {
    case SSL_ERROR_ZERO_RETURN:
      was_closed_in_order_ = true;
      return "";
    case SSL_ERROR_SYSCALL:
      if (received == 0 || errno == ECONNRESET) return "";
      throw ClientError(std::string("receive: ") + std::strerror(errno));
    default:
      if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        ERR_clear_error();
        return "";
      }
      throw ClientError("receive: " + openssl_error());
  }
}

std::string TlsClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return name == nullptr ? "" : std::string(reinterpret_cast<const char*>(name), size);
}

std::string TlsClient::server_serial() const {
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) throw ClientError("the server showed no certificate");
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* text = BN_bn2hex(number);
  std::string serial = text;
  OPENSSL_free(text);
  BN_free(number);
  return serial;
}

}  // namespace dynamo::test

// A TLS client over memory, and random numbers that repeat for each input. Include it first: it
// replaces OpenSSL's random numbers by a deprecated function that has no successor.
#pragma once

#define OPENSSL_SUPPRESS_DEPRECATED  // only RAND_set_rand_method()

#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/issue.hpp"
#include "fuzz/check.hpp"
#include "tls/openssl.hpp"
#include "tls/pem.hpp"

namespace dynamo::fuzz {

// Replaces OpenSSL's random numbers by a sequence that starts again with each input, so that a
// finding can be replayed.
class RepeatedRandom {
 public:
  static void install() {
    static const RAND_METHOD method{.seed = nullptr,
                                    .bytes = &fill,
                                    .cleanup = nullptr,
                                    .add = nullptr,
                                    .pseudorand = &fill,
                                    .status = [] { return 1; }};
    require(RAND_set_rand_method(&method) == 1, "OpenSSL takes the random numbers");
  }
  static void restart() { state = kStart; }

 private:
  static constexpr std::uint64_t kStart = 0x9E3779B97F4A7C15;

  static int fill(unsigned char* bytes, int count) {
    for (int i = 0; i < count; ++i) {
      state ^= state << 13U;  // xorshift64
      state ^= state >> 7U;
      state ^= state << 17U;
      bytes[i] = static_cast<unsigned char>(state >> 32U);
    }
    return 1;
  }
  static inline std::uint64_t state = kStart;
};

// A request for a certificate that is valid now.
inline certs::LeafRequest leaf_request(certs::Usage usage) {
  certs::LeafRequest request;
  request.names = {"localhost"};
  request.not_before = std::chrono::system_clock::now() - std::chrono::hours(1);
  request.not_after = std::chrono::system_clock::now() + std::chrono::hours(24 * 365);
  request.usage = usage;
  return request;
}

inline certs::KeyPair make_fuzz_ca(const std::string& name) {
  const certs::LeafRequest times = leaf_request(certs::Usage::kServer);
  return certs::make_ca(name, times.not_before, times.not_after).value();
}

struct TlsClientOptions {
  int max_version = TLS1_3_VERSION;
  const certs::KeyPair* certificate = nullptr;
};

inline tls::SslCtxPtr make_client_context(const TlsClientOptions& options) {
  tls::SslCtxPtr context(SSL_CTX_new(TLS_client_method()));
  require(context != nullptr, "there is a client context");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_max_proto_version(context.get(), options.max_version);
  static constexpr std::array<unsigned char, 12> kAlpn{2,   'h', '2', 8,   'h', 't',
                                                       't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_alpn_protos(context.get(), kAlpn.data(), kAlpn.size());
  if (options.certificate != nullptr) {
    const auto chain = tls::parse_certificates(options.certificate->certificate_pem, 4);
    const auto key = tls::parse_key(options.certificate->key_pem);
    SSL_CTX_use_certificate(context.get(), chain.value().front().get());
    SSL_CTX_use_PrivateKey(context.get(), key.value().get());
  }
  return context;
}

// Exchanges bytes with the caller, who carries them to the server and back.
class TlsPeer {
 public:
  explicit TlsPeer(SSL_CTX* context)
      : ssl_(SSL_new(context)), in_(BIO_new(BIO_s_mem())), out_(BIO_new(BIO_s_mem())) {
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_connect_state(ssl_.get());
  }

  void feed(std::string_view bytes) {
    BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
  }
  std::string take_output() {
    std::string bytes = tls::bio_text(out_);
    static_cast<void>(BIO_reset(out_));
    return bytes;
  }
  // One step; true when the handshake is complete.
  bool shake_hands() { return SSL_do_handshake(ssl_.get()) == 1; }
  void write(std::string_view bytes) {
    std::size_t written = 0;
    if (!bytes.empty()) SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
  }
  void close() { SSL_shutdown(ssl_.get()); }
  // Returns the text that the server has sent since the last call.
  std::string read() {
    std::string text;
    std::vector<char> piece(std::size_t{16} * 1024);
    std::size_t bytes = 0;
    while (SSL_read_ex(ssl_.get(), piece.data(), piece.size(), &bytes) == 1) {
      text.append(piece.data(), bytes);
    }
    return text;
  }

 private:
  tls::SslPtr ssl_;
  BIO* in_;   // owned by ssl_
  BIO* out_;  // owned by ssl_
};

}  // namespace dynamo::fuzz

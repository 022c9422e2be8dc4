#include "certs/tls_context.hpp"

#include <openssl/err.h>

#include <array>
#include <string_view>
#include <utility>

#include "certs/ciphers.hpp"
#include "certs/client_verification.hpp"
#include "certs/x509_read.hpp"

namespace dynamo::certs {
namespace {

constexpr const char* kGroups = "X25519:P-256";
constexpr std::string_view kHttp11 = "http/1.1";

// Eight certificates of the largest keys. Each unauthenticated handshake may hold this much;
// OpenSSL's own limit is 100 KiB.
constexpr long kMaxClientChainBytes = 16 * 1024;

Error failure(std::string_view what) {
  return Error{std::string(what) + ": " + tls::take_openssl_error()};
}

// A client that offers only h2 is served without ALPN: it may use HTTP/1.1 anyway, which is better
// than a fatal alert.
int select_http11(SSL*, const unsigned char** selected, unsigned char* selected_size,
                  const unsigned char* offered, unsigned offered_size, void*) {
  std::string_view rest(reinterpret_cast<const char*>(offered), offered_size);
  while (!rest.empty()) {
    const auto size = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    if (size > rest.size()) break;
    if (rest.substr(0, size) == kHttp11) {
      *selected = reinterpret_cast<const unsigned char*>(rest.data());
      *selected_size = size;
      return SSL_TLSEXT_ERR_OK;
    }
    rest.remove_prefix(size);
  }
  return SSL_TLSEXT_ERR_NOACK;
}

Result<void> set_versions_and_ciphers(SSL_CTX* context, const TlsOptions& options) {
  auto lists = split_ciphers(options.ciphers, options.min_version == TlsVersion::k1_2);
  if (!lists) return lists.error();
  const int least = options.min_version == TlsVersion::k1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
  if (SSL_CTX_set_min_proto_version(context, least) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1) {
    return failure("setting the TLS version failed");
  }
  if (SSL_CTX_set_cipher_list(context, lists->tls12_ciphers.c_str()) != 1 ||
      SSL_CTX_set_ciphersuites(context, lists->tls13_suites.c_str()) != 1) {
    return failure("setting the TLS ciphers failed");
  }
  if (SSL_CTX_set1_groups_list(context, kGroups) != 1) {
    return failure("setting the TLS groups failed");
  }
  return {};
}

void set_modes(SSL_CTX* context) {
  // The same on every distribution: no SHA-1 signatures, no keys below 112 bits of strength.
  SSL_CTX_set_security_level(context, 2);
  // Requests use few long connections, so resumption saves nothing. Without it each client's
  // certificate is verified again, and no ticket key is needed.
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // Our cipher order applies, but a client without AES instructions gets the ChaCha20 that it
  // prefers.
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // One read fetches several records; idle connections release their buffers.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                // Send only the file's chain, without certificates from the client
                                // CAs.
                                SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_max_cert_list(context, kMaxClientChainBytes);
  SSL_CTX_set_default_passwd_cb(context, tls::refuse_passphrase);
  SSL_CTX_set_alpn_select_cb(context, select_http11, nullptr);
}

Result<void> set_pair(SSL_CTX* context, const KeyPair& pair) {
  auto certificates = parse_certificates(pair.certificate_pem, "the certificate");
  if (!certificates) return certificates.error();
  auto key = parse_key(pair.key_pem, "the key");
  if (!key) return key.error();
  if (SSL_CTX_use_certificate(context, certificates->front().get()) != 1) {
    return failure("the certificate cannot be used");
  }
  for (std::size_t i = 1; i < certificates->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, (*certificates)[i].get()) != 1) {
      return failure("certificate " + std::to_string(i + 1) + " of the chain cannot be used");
    }
  }
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return failure("the key cannot be used with the certificate");
  }
  return {};
}

}  // namespace

Result<void> check_tls_options(const TlsOptions& options) {
  auto lists = split_ciphers(options.ciphers, options.min_version == TlsVersion::k1_2);
  if (!lists) return lists.error();
  return {};
}

Result<std::shared_ptr<SSL_CTX>> build_tls_context(const KeyPair& pair, const TlsOptions& options,
                                                   const ClientVerification* clients) {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return failure("making a TLS context failed");
  set_modes(context.get());
  if (auto done = set_versions_and_ciphers(context.get(), options); !done) return done.error();
  if (auto done = set_pair(context.get(), pair); !done) return done.error();
  if (clients != nullptr) {
    if (auto done = require_client_certificate(context.get(), *clients); !done) {
      return done.error();
    }
  }
  return context;
}

}  // namespace dynamo::certs

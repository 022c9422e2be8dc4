#include "certs/tls_context.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "certs/client_verification.hpp"
#include "certs/x509_read.hpp"
#include "tls/openssl.hpp"

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

// --- Ciphers.

// AES-128 first: the cheapest with AES instructions, and the first choice of Go clients.
constexpr const char* kDefaultTls13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kDefaultTls12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

// All accepted names. DH and PSK are excluded because the server has neither parameters nor keys
// for them.
constexpr const char* kKnownTls12 = "ALL:!aNULL:!eNULL:!DH:!PSK:!SRP";
constexpr const char* kKnownTls13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:"
    "TLS_AES_128_CCM_SHA256";

const SSL_CIPHER* find_cipher(const STACK_OF(SSL_CIPHER) * known, std::string_view name) {
  for (int i = 0; i < sk_SSL_CIPHER_num(known); ++i) {
    const SSL_CIPHER* cipher = sk_SSL_CIPHER_value(known, i);
    const char* standard_name = SSL_CIPHER_standard_name(cipher);
    if (name == SSL_CIPHER_get_name(cipher) ||
        (standard_name != nullptr && name == standard_name)) {
      return cipher;
    }
  }
  return nullptr;
}

bool is_tls13(const SSL_CIPHER* cipher) {
  return std::string_view(SSL_CIPHER_get_version(cipher)) == "TLSv1.3";
}

void append(std::string& list, const char* name) {
  if (!list.empty()) list += ':';
  list += name;
}

struct CipherLists {
  // Colon-separated OpenSSL names, best first. Never empty. The defaults are AEAD ciphers with
  // forward secrecy.
  std::string tls13_suites;
  std::string tls12_ciphers;
};

// Accepts only names of single ciphers, no keywords such as HIGH. Refuses ciphers without
// encryption or authentication, and those whose key exchange the server does not support. Without
// `tls12_allowed` the name of a TLS 1.2 cipher is an error.
Result<CipherLists> split_ciphers(const std::vector<std::string>& names, bool tls12_allowed) {
  CipherLists lists;
  const tls::SslCtxPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context || SSL_CTX_set_cipher_list(context.get(), kKnownTls12) != 1 ||
      SSL_CTX_set_ciphersuites(context.get(), kKnownTls13) != 1) {
    return Error{"listing the TLS ciphers failed: " + tls::take_openssl_error()};
  }
  std::vector<const SSL_CIPHER*> seen;
  for (const std::string& name : names) {
    const SSL_CIPHER* cipher = find_cipher(SSL_CTX_get_ciphers(context.get()), name);
    if (cipher == nullptr) {
      return Error{"TLS cipher \"" + name +
                   "\" is not known; name single ciphers as OpenSSL or IANA do, for example "
                   "ECDHE-ECDSA-AES128-GCM-SHA256 or TLS_AES_128_GCM_SHA256"};
    }
    if (!tls12_allowed && !is_tls13(cipher)) {
      return Error{"TLS cipher \"" + name +
                   "\" belongs to TLS 1.2, which the least version 1.3 rules out"};
    }
    if (std::find(seen.begin(), seen.end(), cipher) != seen.end()) {
      return Error{"TLS cipher \"" + name + "\" is named twice"};
    }
    seen.push_back(cipher);
    append(is_tls13(cipher) ? lists.tls13_suites : lists.tls12_ciphers,
           SSL_CIPHER_get_name(cipher));
  }
  if (lists.tls13_suites.empty()) lists.tls13_suites = kDefaultTls13;
  if (lists.tls12_ciphers.empty()) lists.tls12_ciphers = kDefaultTls12;
  return lists;
}

// --- The context.

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

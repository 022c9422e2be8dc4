#include "certs/ciphers.hpp"

#include <algorithm>
#include <string_view>

#include "tls/openssl.hpp"

namespace dynamo::certs {
namespace {

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

}  // namespace

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

}  // namespace dynamo::certs

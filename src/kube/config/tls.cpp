#include "kube/config/tls.hpp"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>
#include <vector>

#include "kube/config/credentials_files.hpp"
#include "text/timestamp.hpp"
#include "tls/openssl.hpp"
#include "tls/pem.hpp"

namespace dynamo::kube {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

constexpr std::size_t kMaxCertificates = 512;

Result<std::vector<tls::X509Ptr>> parse_certificates(std::string_view pem,
                                                     std::string_view origin) {
  auto certificates = tls::parse_certificates(pem, kMaxCertificates);
  if (!certificates) return config_error(origin, certificates.error().text);
  return *std::move(certificates);
}

Result<void> use_client_certificate(SSL_CTX* context, const TlsMaterial& material, TimePoint now) {
  auto certificates = parse_certificates(material.certificate_pem, material.certificate_origin);
  if (!certificates) return certificates.error();
  auto key = tls::parse_key(material.key_pem);
  if (!key) return config_error(material.key_origin, key.error().text);
  X509* leaf = certificates->front().get();
  const TimePoint begin = tls::to_time_point(X509_get0_notBefore(leaf));
  const TimePoint end = tls::to_time_point(X509_get0_notAfter(leaf));
  if (now > end) {
    return config_error(material.certificate_origin,
                        "the client certificate expired at " + text::format_timestamp(end));
  }
  if (now < begin) {
    return config_error(material.certificate_origin, "the client certificate is not valid before " +
                                                         text::format_timestamp(begin));
  }
  const bool fits = X509_check_private_key(leaf, key->get()) == 1;
  ERR_clear_error();
  if (!fits) {
    return config_error(material.key_origin,
                        "does not belong to the certificate in " + material.certificate_origin);
  }
  bool used = SSL_CTX_use_certificate(context, leaf) == 1;
  for (std::size_t i = 1; used && i < certificates->size(); ++i) {
    used = SSL_CTX_add1_chain_cert(context, (*certificates)[i].get()) == 1;
  }
  used = used && SSL_CTX_use_PrivateKey(context, key->get()) == 1;
  if (used) return {};
  return config_error(material.certificate_origin, "cannot be used: " + tls::take_openssl_error());
}

Result<void> use_ca(SSL_CTX* context, const TlsMaterial& material) {
  if (material.ca_pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return config_error("the system's CA certificates", tls::take_openssl_error());
  }
  auto certificates = parse_certificates(material.ca_pem, material.ca_origin);
  if (!certificates) return certificates.error();
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const tls::X509Ptr& certificate : *certificates) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) {
      return config_error(material.ca_origin, "cannot be used: " + tls::take_openssl_error());
    }
  }
  return {};
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

}  // namespace

TlsMaterial::~TlsMaterial() {
  OPENSSL_cleanse(key_pem.data(), key_pem.size());
}

Result<std::shared_ptr<SSL_CTX>> build_client_context(const TlsMaterial& material, TimePoint now) {
  ERR_clear_error();
  tls::SslCtxPtr context(SSL_CTX_new(TLS_client_method()));
  if (!context) return config_error("TLS", tls::take_openssl_error());
  static constexpr std::array<unsigned char, 9> kAlpn{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_default_passwd_cb(context.get(), tls::refuse_passphrase);
  SSL_CTX_set_alpn_protos(context.get(), kAlpn.data(), kAlpn.size());
  X509_VERIFY_PARAM* verification = SSL_CTX_get0_param(context.get());
  // As in Go: each certificate of the bundle is a trust anchor, and common names are ignored.
  X509_VERIFY_PARAM_set_flags(verification, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      verification, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (auto used = use_ca(context.get(), material); !used) return used.error();
  if (!material.certificate_pem.empty()) {
    if (auto used = use_client_certificate(context.get(), material, now); !used) {
      return used.error();
    }
  }
  return std::shared_ptr<SSL_CTX>(context.release(), SSL_CTX_free);
}

std::optional<TimePoint> certificate_end(std::string_view pem) {
  auto certificates = parse_certificates(pem, "");
  if (!certificates) return std::nullopt;
  return tls::to_time_point(X509_get0_notAfter(certificates->front().get()));
}

bool expect_server_name(SSL* ssl, const std::string& name) {
  ERR_clear_error();
  if (is_address(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1;
  }
  return SSL_set_tlsext_host_name(ssl, name.c_str()) == 1 &&
         X509_VERIFY_PARAM_set1_host(SSL_get0_param(ssl), name.data(), name.size()) == 1;
}

std::string handshake_problem(SSL* ssl, const std::string& name, std::string_view fallback) {
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return "the server's certificate must name " + name + ", and does not";
  }
  if (verdict != X509_V_OK) {
    return std::string("the server's certificate is not trusted: ") +
           X509_verify_cert_error_string(verdict);
  }
  return "the TLS handshake failed: " + std::string(fallback);
}

}  // namespace dynamo::kube

#include "certs/client_verification.hpp"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "certs/x509_read.hpp"

namespace dynamo::certs {
namespace {

using AllowedNames = std::vector<std::string>;
using StorePtr = std::unique_ptr<X509_STORE_CTX, tls::OpensslDelete<X509_STORE_CTX_free>>;

void free_allowed_names(void*, void* names, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<AllowedNames*>(names);
}

// A slot of the context that owns the list, so that the list lives exactly as long as the context.
int allowed_names_slot() {
  static const int slot =
      SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_allowed_names);
  return slot;
}

bool is_allowed(X509* certificate, const AllowedNames& allowed) {
  if (allowed.empty()) return true;
  const std::vector<std::string> names = client_names(certificate);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  });
}

// Called once per handshake. OpenSSL is C: no exception may pass through it.
int verify_client(X509_STORE_CTX* store, void* names) noexcept try {
  if (X509_verify_cert(store) != 1) return 0;
  if (is_allowed(X509_STORE_CTX_get0_cert(store), *static_cast<const AllowedNames*>(names))) {
    return 1;
  }
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
  return 0;
} catch (...) {
  X509_STORE_CTX_set_error(store, X509_V_ERR_UNSPECIFIED);
  return 0;
}

TimePoint first_expiry(const STACK_OF(X509) * chain) {
  TimePoint first = TimePoint::max();
  const int count = chain == nullptr ? 0 : sk_X509_num(chain);
  for (int i = 0; i < count; ++i) first = std::min(first, not_after(sk_X509_value(chain, i)));
  return first;
}

Error failure(const char* what) {
  return Error{std::string(what) + ": " + tls::take_openssl_error()};
}

}  // namespace

Result<void> require_client_certificate(SSL_CTX* context, const ClientVerification& clients) {
  auto certificates = parse_certificates(clients.ca_pem, "the client CA bundle");
  if (!certificates) return certificates.error();
  X509_STORE* trusted = SSL_CTX_get_cert_store(context);
  for (const tls::X509Ptr& certificate : *certificates) {
    // The second call fills the list of issuers that the server sends to clients.
    if (X509_STORE_add_cert(trusted, certificate.get()) != 1 ||
        SSL_CTX_add_client_CA(context, certificate.get()) != 1) {
      return failure("trusting a client CA failed");
    }
  }
  // As in Go's TLS: an intermediate in the bundle is trusted without its root.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);

  auto names = std::make_unique<AllowedNames>(clients.allowed_names);
  if (allowed_names_slot() < 0 ||
      SSL_CTX_set_ex_data(context, allowed_names_slot(), names.get()) != 1) {
    return failure("keeping the allowed names failed");
  }
  SSL_CTX_set_cert_verify_callback(context, verify_client, names.release());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

TimePoint verified_until(const SSL* connection) {
  return first_expiry(SSL_get0_verified_chain(connection));
}

// Repeats OpenSSL's handshake verification with the parameters of another context.
std::optional<TimePoint> would_be_verified_until(SSL_CTX* context, SSL* connection) {
  void* const names = SSL_CTX_get_ex_data(context, allowed_names_slot());
  if (names == nullptr) return TimePoint::max();  // it requests no certificates
  X509* const certificate = SSL_get0_peer_certificate(connection);
  const StorePtr store(X509_STORE_CTX_new());
  if (certificate == nullptr || !store) return std::nullopt;
  const bool is_ready =
      X509_STORE_CTX_init(store.get(), SSL_CTX_get_cert_store(context), certificate,
                          SSL_get_peer_cert_chain(connection)) == 1 &&
      X509_STORE_CTX_set_default(store.get(), "ssl_client") == 1;
  X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(store.get());
  if (!is_ready || X509_VERIFY_PARAM_set1(param, SSL_CTX_get0_param(context)) != 1) {
    ERR_clear_error();
    return std::nullopt;
  }
  X509_VERIFY_PARAM_set_auth_level(param, SSL_CTX_get_security_level(context));
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_NO_CHECK_TIME);
  const bool is_let_in = verify_client(store.get(), names) == 1;
  ERR_clear_error();
  if (!is_let_in) return std::nullopt;
  return first_expiry(X509_STORE_CTX_get0_chain(store.get()));
}

}  // namespace dynamo::certs

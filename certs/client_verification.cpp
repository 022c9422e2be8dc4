#include "certs/client_verification.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "certs/x509_read.hpp"

namespace dynamo::certs {
namespace {

using AllowedNames = std::vector<std::string>;

void free_allowed_names(void*, void* names, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<AllowedNames*>(names);
}

// A slot of the context that owns the list, so that it lives exactly as long as the context.
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

// Called once for a handshake. OpenSSL is C: nothing may be thrown through it.
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

Error failure(const char* what) {
  return Error{std::string(what) + ": " + take_openssl_error()};
}

}  // namespace

Result<void> require_client_certificate(SSL_CTX* context, const ClientVerification& clients) {
  auto certificates = parse_certificates(clients.ca_pem, "the client CA bundle");
  if (!certificates) return certificates.error();
  X509_STORE* trusted = SSL_CTX_get_cert_store(context);
  for (const X509Ptr& certificate : *certificates) {
    // The second call fills the list of issuers that the server tells its clients.
    if (X509_STORE_add_cert(trusted, certificate.get()) != 1 ||
        SSL_CTX_add_client_CA(context, certificate.get()) != 1) {
      return failure("trusting a client CA failed");
    }
  }
  // As Go's TLS does: an intermediate in the bundle is trusted without its root.
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

}  // namespace dynamo::certs

#include "certs/managed/bundle.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "certs/x509_read.hpp"
#include "tls/pem.hpp"

namespace dynamo::certs::managed {
namespace {

using StorePtr = std::unique_ptr<X509_STORE, tls::OpensslDelete<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, tls::OpensslDelete<X509_STORE_CTX_free>>;

// Frees the stack, which does not own the certificates.
void free_stack(STACK_OF(X509) * certificates) {
  sk_X509_free(certificates);
}
using StackPtr = std::unique_ptr<STACK_OF(X509), tls::OpensslDelete<free_stack>>;

bool verifies(X509_STORE* trusted, const std::vector<tls::X509Ptr>& chain,
              const std::optional<TimePoint>& at) {
  const StoreContextPtr context(X509_STORE_CTX_new());
  const StackPtr served(sk_X509_new_null());
  if (!context || !served) return false;
  for (auto each = chain.begin() + 1; each != chain.end(); ++each) {
    if (sk_X509_push(served.get(), each->get()) == 0) return false;
  }
  X509* const leaf = chain.front().get();
  if (X509_STORE_CTX_init(context.get(), trusted, leaf, served.get()) != 1) return false;
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_PARTIAL_CHAIN);
  if (at) {
    X509_VERIFY_PARAM_set_time(wanted, std::chrono::system_clock::to_time_t(*at));
  } else {
    X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_NO_CHECK_TIME);
  }
  if (X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER) != 1) return false;
  return X509_verify_cert(context.get()) == 1;
}

bool names_host(X509* leaf, const std::string& host) {
  constexpr unsigned kAsApiServers =
      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  return X509_check_host(leaf, host.data(), host.size(), kAsApiServers, nullptr) == 1;
}

}  // namespace

std::vector<CaCertificate> split_bundle(std::string_view pem) {
  const auto parsed = parse_certificates(pem, "the bundle");
  if (!parsed) return {};
  std::vector<CaCertificate> certificates;
  for (const tls::X509Ptr& certificate : *parsed) {
    CertificateFacts facts = read_facts(certificate.get());
    if (holds(certificates, facts.fingerprint)) continue;
    certificates.push_back({tls::pem_of(certificate.get()), std::move(facts)});
  }
  return certificates;
}

std::string join_bundle(const std::vector<CaCertificate>& certificates) {
  std::string pem;
  for (const CaCertificate& certificate : certificates) pem += certificate.pem;
  return pem;
}

bool holds(const std::vector<CaCertificate>& bundle, std::string_view fingerprint) {
  return std::any_of(bundle.begin(), bundle.end(), [fingerprint](const CaCertificate& certificate) {
    return certificate.facts.fingerprint == fingerprint;
  });
}

bool names_host(std::string_view pem, const std::string& host) {
  const auto chain = parse_certificates(pem, "the chain");
  return chain && names_host(chain->front().get(), host);
}

bool verifies(std::string_view bundle_pem, const KeyPair& leaf,
              const std::vector<std::string>& names, const std::optional<TimePoint>& at) {
  const auto trusted = parse_certificates(bundle_pem, "the bundle");
  const auto chain = parse_certificates(leaf.certificate_pem, "the leaf");
  const StorePtr store(X509_STORE_new());
  if (!trusted || !chain || !store) return false;
  for (const tls::X509Ptr& certificate : *trusted) {
    if (X509_STORE_add_cert(store.get(), certificate.get()) != 1) return false;
  }
  X509* const first = chain->front().get();
  bool good = verifies(store.get(), *chain, at);
  for (const std::string& name : names) {
    good = good && names_host(first, name);
  }
  ERR_clear_error();
  return good;
}

}  // namespace dynamo::certs::managed

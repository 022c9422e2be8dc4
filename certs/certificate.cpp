#include "certs/certificate.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "certs/x509_read.hpp"
#include "text/timestamp.hpp"

namespace dynamo::certs {
namespace {

constexpr int kMinRsaBits = 2048;
constexpr std::array<std::string_view, 3> kCurves{"prime256v1", "secp384r1", "secp521r1"};

// OpenSSL's name of an elliptic curve; empty for other keys.
std::string curve_of(EVP_PKEY* key) {
  std::array<char, 64> name{};
  if (EVP_PKEY_is_a(key, "EC") != 1) return {};
  if (EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) != 1) return "without a name";
  return name.data();
}

// API servers use Go's TLS, which supports only these keys. With any other key the server would be
// ready, but no API server could call it.
bool is_key_of_api_servers(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") == 1) return EVP_PKEY_get_bits(key) >= kMinRsaBits;
  if (EVP_PKEY_is_a(key, "ED25519") == 1) return true;
  return std::find(kCurves.begin(), kCurves.end(), curve_of(key)) != kCurves.end();
}

std::string key_text(EVP_PKEY* key) {
  const char* type = EVP_PKEY_get0_type_name(key);
  const std::string text = type == nullptr ? "key" : type;
  const std::string curve = curve_of(key);
  if (!curve.empty()) return text + " on the curve " + curve;
  return text + " with " + std::to_string(EVP_PKEY_get_bits(key)) + " bits";
}

// The 1-based position of the certificate whose key is `key`, or 0.
std::size_t owner_of(EVP_PKEY* key, const std::vector<tls::X509Ptr>& certificates) {
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    if (EVP_PKEY_eq(X509_get0_pubkey(certificates[i].get()), key) == 1) return i + 1;
  }
  return 0;
}

}  // namespace

KeyPair::KeyPair(std::string certificate, std::string key)
    : certificate_pem(std::move(certificate)), key_pem(std::move(key)) {}

KeyPair::~KeyPair() {
  OPENSSL_cleanse(key_pem.data(), key_pem.size());
}

Result<CheckedPair> check_pair(KeyPair pair, const PairNames& names) {
  auto certificates = parse_certificates(pair.certificate_pem, names.certificate);
  if (!certificates) return certificates.error();
  auto key = parse_key(pair.key_pem, names.key);
  if (!key) return key.error();

  X509* leaf = certificates->front().get();
  const std::string certificate_name(names.certificate);
  const std::size_t owner = owner_of(key->get(), *certificates);
  // A key of another type leaves an entry in the error queue.
  ERR_clear_error();
  if (owner == 0) {
    return Error{std::string(names.key) + ": does not belong to the certificate in " +
                 certificate_name};
  }
  if (owner != 1) {
    return Error{certificate_name +
                 ": the leaf must come first, but the key belongs to certificate " +
                 std::to_string(owner)};
  }
  if (!is_key_of_api_servers(key->get())) {
    return Error{std::string(names.key) +
                 ": must be a key that API servers shake hands with (RSA of at least " +
                 std::to_string(kMinRsaBits) + " bits, P-256, P-384, P-521 or Ed25519), but is " +
                 key_text(key->get()) + "; issue the certificate again for another key"};
  }
  CertificateFacts facts = read_facts(leaf);
  if (facts.names.empty()) {
    return Error{certificate_name +
                 ": must name the server as a subject alternative name; the API server ignores the "
                 "common name"};
  }
  if (X509_check_purpose(leaf, X509_PURPOSE_SSL_SERVER, 0) != 1) {
    return Error{
        certificate_name +
        ": must be usable by a TLS server; its key usage or extended key usage forbids it"};
  }
  return CheckedPair{std::move(pair), std::move(facts)};
}

std::string validity_problem(const CertificateFacts& facts, TimePoint now) {
  if (now > facts.not_after) {
    return "expired " + text::format_age(now - facts.not_after) + " ago (at " +
           text::format_timestamp(facts.not_after) + ")";
  }
  if (now < facts.not_before)
    return "is not valid before " + text::format_timestamp(facts.not_before);
  return {};
}

Result<std::vector<CertificateFacts>> read_bundle(std::string_view pem, std::string_view name) {
  auto certificates = parse_certificates(pem, name);
  if (!certificates) return certificates.error();
  std::vector<CertificateFacts> facts;
  facts.reserve(certificates->size());
  for (const tls::X509Ptr& certificate : *certificates)
    facts.push_back(read_facts(certificate.get()));
  return facts;
}

}  // namespace dynamo::certs

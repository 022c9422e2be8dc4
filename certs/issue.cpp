#include "certs/issue.hpp"

#include <openssl/pem.h>
#include <openssl/rand.h>

#include <array>
#include <optional>
#include <string_view>

#include "certs/x509_read.hpp"

namespace dynamo::certs {
namespace {

Error openssl_failure(std::string_view what) {
  return Error{std::string(what) + ": " + tls::take_openssl_error()};
}

tls::EvpKeyPtr new_key(unsigned rsa_bits) {
  if (rsa_bits != 0) return tls::EvpKeyPtr(EVP_RSA_gen(rsa_bits));
  return tls::EvpKeyPtr(EVP_EC_gen("P-256"));
}

bool set_time(ASN1_TIME* field, TimePoint time) {
  return ASN1_TIME_set(field, std::chrono::system_clock::to_time_t(time)) != nullptr;
}

// 127 random bits: unique without a registry, and positive, as RFC 5280 requires.
bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);
  const std::unique_ptr<BIGNUM, tls::OpensslDelete<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_common_name(X509* certificate, const std::string& common_name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(common_name.data()),
                                    static_cast<int>(common_name.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const tls::ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Built manually: in OpenSSL's text form a name with a comma could add further names.
bool add_name(GENERAL_NAMES* names, const std::string& name) {
  using GeneralNamePtr = std::unique_ptr<GENERAL_NAME, tls::OpensslDelete<GENERAL_NAME_free>>;
  GeneralNamePtr general(GENERAL_NAME_new());
  if (!general) return false;
  if (ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str()); address != nullptr) {
    GENERAL_NAME_set0_value(general.get(), GEN_IPADD, address);
  } else {
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    if (text == nullptr) return false;
    const int type = name.find("://") == std::string::npos ? GEN_DNS : GEN_URI;
    GENERAL_NAME_set0_value(general.get(), type, text);
    if (ASN1_STRING_set(text, name.data(), static_cast<int>(name.size())) != 1) return false;
  }
  if (sk_GENERAL_NAME_push(names, general.get()) <= 0) return false;
  static_cast<void>(general.release());  // the stack owns it now
  return true;
}

bool add_names(X509* certificate, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  const tls::GeneralNamesPtr general(sk_GENERAL_NAME_new_null());
  if (!general) return false;
  for (const std::string& name : names) {
    if (!add_name(general.get(), name)) return false;
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, general.get(), 0,
                           X509V3_ADD_DEFAULT) == 1;
}

std::optional<Error> bad_text(std::string_view what, const std::string& text) {
  // ub-common-name is 64; a DNS name has at most 253. URIs may be longer and have no relevant
  // limit.
  const std::size_t limit = what == "common name" ? 64 : 1024;
  if (text.empty() || text.size() > limit) {
    return Error{std::string(what) + " must have 1 to " + std::to_string(limit) +
                 " characters, found " + std::to_string(text.size())};
  }
  for (const char c : text) {
    if (c <= 0x20 || c >= 0x7f) {
      if (what == "common name" && c == 0x20) continue;
      return Error{std::string(what) + " must be printable ASCII"};
    }
  }
  return std::nullopt;
}

const char* extended_usage(Usage usage) {
  switch (usage) {
    case Usage::kServer:
      return "serverAuth";
    case Usage::kClient:
      return "clientAuth";
    case Usage::kServerAndClient:
      return "serverAuth,clientAuth";
  }
  return "serverAuth";
}

// The common part of a CA and a leaf: version, serial, period, subject, key.
tls::X509Ptr new_certificate(const std::string& common_name, TimePoint not_before,
                             TimePoint not_after, EVP_PKEY* key) {
  tls::X509Ptr certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      !set_serial(certificate.get()) ||
      !set_time(X509_getm_notBefore(certificate.get()), not_before) ||
      !set_time(X509_getm_notAfter(certificate.get()), not_after) ||
      !set_common_name(certificate.get(), common_name) ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return nullptr;
  }
  return certificate;
}

Result<KeyPair> to_pem(X509* certificate, EVP_PKEY* key) {
  const tls::BioPtr certificate_out(BIO_new(BIO_s_mem()));
  const tls::BioPtr key_out(BIO_new(BIO_s_secmem()));
  if (!certificate_out || !key_out || PEM_write_bio_X509(certificate_out.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failure("writing a certificate as PEM failed");
  }
  return KeyPair(tls::bio_text(certificate_out.get()), tls::bio_text(key_out.get()));
}

std::optional<Error> bad_request(const std::string& common_name, TimePoint not_before,
                                 TimePoint not_after) {
  if (not_after <= not_before) return Error{"a certificate must not end before it begins"};
  return bad_text("common name", common_name);
}

}  // namespace

Result<KeyPair> make_ca(const std::string& common_name, TimePoint not_before, TimePoint not_after) {
  if (auto error = bad_request(common_name, not_before, not_after)) return *error;
  const tls::EvpKeyPtr key = new_key(0);
  if (!key) return openssl_failure("making a key failed");
  const tls::X509Ptr ca = new_certificate(common_name, not_before, not_after, key.get());
  if (!ca || X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) != 1 ||
      !add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash") ||
      X509_sign(ca.get(), key.get(), EVP_sha256()) == 0) {
    return openssl_failure("making a CA failed");
  }
  return to_pem(ca.get(), key.get());
}

Result<IssuedCertificate> issue(const KeyPair& ca, const LeafRequest& request) {
  if (auto error = bad_request(request.common_name, request.not_before, request.not_after)) {
    return *error;
  }
  for (const std::string& name : request.names) {
    if (auto error = bad_text("subject alternative name", name)) return *error;
  }
  const auto ca_certificates = parse_certificates(ca.certificate_pem, "the CA's certificate");
  if (!ca_certificates) return ca_certificates.error();
  const auto ca_key = parse_key(ca.key_pem, "the CA's key");
  if (!ca_key) return ca_key.error();
  X509* ca_certificate = ca_certificates->front().get();

  const tls::EvpKeyPtr key = new_key(request.rsa_bits);
  if (!key) return openssl_failure("making a key failed");
  const tls::X509Ptr leaf =
      new_certificate(request.common_name, request.not_before, request.not_after, key.get());
  if (!leaf || X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca_certificate)) != 1 ||
      !add_extension(leaf.get(), ca_certificate, NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(leaf.get(), ca_certificate, NID_key_usage, "critical,digitalSignature") ||
      !add_extension(leaf.get(), ca_certificate, NID_ext_key_usage,
                     extended_usage(request.usage)) ||
      !add_extension(leaf.get(), ca_certificate, NID_subject_key_identifier, "hash") ||
      !add_extension(leaf.get(), ca_certificate, NID_authority_key_identifier, "keyid") ||
      !add_names(leaf.get(), request.names) ||
      X509_sign(leaf.get(), ca_key->get(), EVP_sha256()) == 0) {
    return openssl_failure("issuing a certificate failed");
  }
  auto pair = to_pem(leaf.get(), key.get());
  if (!pair) return pair.error();
  return IssuedCertificate{std::move(*pair), ca.certificate_pem};
}

}  // namespace dynamo::certs

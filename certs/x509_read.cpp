#include "certs/x509_read.hpp"

#include <arpa/inet.h>

#include <array>
#include <utility>

#include "tls/pem.hpp"

namespace dynamo::certs {
namespace {

constexpr std::size_t kMaxCertificates = 256;

std::string text_of(const ASN1_STRING* text) {
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text)));
}

std::string address_text(const ASN1_OCTET_STRING* address) {
  const int size = ASN1_STRING_length(address);
  const int family = size == 4 ? AF_INET : AF_INET6;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if ((size != 4 && size != 16) ||
      inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size()) == nullptr) {
    return "invalid address";
  }
  return text.data();
}

tls::GeneralNamesPtr alternative_names(X509* certificate) {
  return tls::GeneralNamesPtr(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
}

// Calls `add(type, text)` for each DNS name, address and URI.
template <class Add>
void for_each_name(X509* certificate, Add add) {
  const tls::GeneralNamesPtr names = alternative_names(certificate);
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS || name->type == GEN_URI) {
      add(name->type, text_of(name->d.ia5));
    } else if (name->type == GEN_IPADD) {
      add(name->type, address_text(name->d.iPAddress));
    }
  }
}

std::string subject_text(X509* certificate) {
  const tls::BioPtr out(BIO_new(BIO_s_mem()));
  if (!out) return {};
  X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  return tls::bio_text(out.get());
}

std::string fingerprint_of(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 0x0f];
  }
  return text;
}

}  // namespace

Result<std::vector<tls::X509Ptr>> parse_certificates(std::string_view pem, std::string_view name) {
  auto certificates = tls::parse_certificates(pem, kMaxCertificates);
  if (!certificates) return Error{std::string(name) + ": " + certificates.error().text};
  return *std::move(certificates);
}

Result<tls::EvpKeyPtr> parse_key(std::string_view pem, std::string_view name) {
  auto key = tls::parse_key(pem);
  if (!key) return Error{std::string(name) + ": " + key.error().text};
  return *std::move(key);
}

TimePoint not_after(const X509* certificate) {
  return tls::to_time_point(X509_get0_notAfter(certificate));
}

CertificateFacts read_facts(X509* certificate) {
  CertificateFacts facts;
  facts.subject = subject_text(certificate);
  for_each_name(certificate,
                [&](int, std::string name) { facts.names.push_back(std::move(name)); });
  facts.not_before = tls::to_time_point(X509_get0_notBefore(certificate));
  facts.not_after = not_after(certificate);
  facts.fingerprint = fingerprint_of(certificate);
  return facts;
}

std::vector<std::string> client_names(X509* certificate) {
  std::vector<std::string> names;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int i = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); i >= 0;
       i = X509_NAME_get_index_by_NID(subject, NID_commonName, i)) {
    unsigned char* utf8 = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)));
    if (size >= 0) {
      names.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
    }
    OPENSSL_free(utf8);
  }
  for_each_name(certificate, [&](int type, std::string name) {
    if (type != GEN_IPADD) names.push_back(std::move(name));
  });
  return names;
}

}  // namespace dynamo::certs

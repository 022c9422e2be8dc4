#include "tls/pem.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace dynamo::tls {
namespace {

bool is_end_of_pem() {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

}  // namespace

PemResult<std::vector<X509Ptr>> parse_certificates(std::string_view pem, std::size_t most) {
  ERR_clear_error();
  const BioPtr in = bio_over(pem);
  std::vector<X509Ptr> certificates;
  while (in) {
    X509Ptr certificate(PEM_read_bio_X509(in.get(), nullptr, refuse_passphrase, nullptr));
    if (!certificate) {
      if (is_end_of_pem()) break;
      return runtime::Error{"certificate " + std::to_string(certificates.size() + 1) +
                            " does not parse: " + take_openssl_error()};
    }
    certificates.push_back(std::move(certificate));
    if (certificates.size() > most) {
      return runtime::Error{"must hold at most " + std::to_string(most) + " certificates"};
    }
  }
  ERR_clear_error();
  if (certificates.empty()) return runtime::Error{"must hold a PEM certificate, has none"};
  return certificates;
}

std::string pem_of(X509* certificate) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  if (!out || PEM_write_bio_X509(out.get(), certificate) != 1) return {};
  return bio_text(out.get());
}

PemResult<EvpKeyPtr> parse_key(std::string_view pem) {
  // OpenSSL's decoder only reports "unsupported" if there is no key at all.
  if (pem.find("PRIVATE KEY-----") == std::string_view::npos) {
    return runtime::Error{"must hold a PEM private key, has none"};
  }
  ERR_clear_error();
  const BioPtr in = bio_over(pem);
  bool asked_passphrase = false;
  EvpKeyPtr key(PEM_read_bio_PrivateKey(in.get(), nullptr, refuse_passphrase, &asked_passphrase));
  const std::string reason = take_openssl_error();
  if (key) return key;
  if (asked_passphrase) {
    return runtime::Error{"the private key is encrypted; it must be stored without a passphrase"};
  }
  return runtime::Error{"the private key does not parse: " + reason};
}

std::chrono::system_clock::time_point to_time_point(const ASN1_TIME* time) {
  using TimePoint = std::chrono::system_clock::time_point;
  std::tm broken_down{};
  if (ASN1_TIME_to_tm(time, &broken_down) != 1) return {};
  constexpr auto kLast = std::chrono::floor<std::chrono::seconds>(TimePoint::max());
  return TimePoint(
      std::min(std::chrono::sys_seconds(std::chrono::seconds(timegm(&broken_down))), kLast));
}

}  // namespace dynamo::tls

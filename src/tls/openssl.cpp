#include "tls/openssl.hpp"

#include <openssl/err.h>

#include <limits>

namespace dynamo::tls {

BioPtr bio_over(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return nullptr;
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string bio_text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  if (size <= 0 || data == nullptr) return {};
  return std::string(data, static_cast<std::size_t>(size));
}

std::string take_openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown error" : reason;
}

int refuse_passphrase(char*, int, int, void* seen) {
  if (seen != nullptr) *static_cast<bool*>(seen) = true;
  return -1;
}

}  // namespace dynamo::tls

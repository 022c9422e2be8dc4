#include "certs/content_digest.hpp"

#include <array>
#include <cassert>

#include "tls/openssl.hpp"

namespace dynamo::certs {
namespace {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  assert(done == 1);
  static_cast<void>(done);
  return std::string(reinterpret_cast<const char*>(digest.data()), size);
}

}  // namespace

ContentDigest& ContentDigest::add(std::string_view part) {
  joined_ += sha256(part);
  return *this;
}

std::string ContentDigest::finish() const {
  return sha256(joined_);
}

}  // namespace dynamo::certs

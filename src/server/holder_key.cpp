#include "server/holder_key.hpp"

#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace dynamo::server {

namespace {

// The first byte, so that no key of one sort is one of another.
enum class Sort : unsigned char { kUnknown, kIpv4, kIpv6, kCertificate };

constexpr std::size_t kIpv4Bytes = 4;
constexpr std::size_t kIpv6PrefixBytes = 8;

HolderKey key_of(Sort sort, std::span<const unsigned char> bytes) {
  HolderKey key;
  key.bytes.front() = static_cast<unsigned char>(sort);
  std::ranges::copy(bytes, key.bytes.begin() + 1);
  return key;
}

HolderKey key_of(const in6_addr& address) {
  const std::span<const unsigned char> bytes(address.s6_addr);
  if (IN6_IS_ADDR_V4MAPPED(&address)) return key_of(Sort::kIpv4, bytes.last<kIpv4Bytes>());
  return key_of(Sort::kIpv6, bytes.first<kIpv6PrefixBytes>());
}

}  // namespace

HolderKey holder_by_address(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  if (storage.ss_family == AF_INET) {
    std::array<unsigned char, kIpv4Bytes> bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in&>(storage).sin_addr, kIpv4Bytes);
    return key_of(Sort::kIpv4, bytes);
  }
  if (storage.ss_family == AF_INET6) {
    return key_of(reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
  }
  return {};
}

std::optional<HolderKey> holder_by_certificate(const SSL* ssl) {
  const X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr || SSL_get_verify_result(ssl) != X509_V_OK) return std::nullopt;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const ASN1_BIT_STRING* const key = X509_get0_pubkey_bitstr(certificate);
  if (key == nullptr ||
      EVP_Digest(ASN1_STRING_get0_data(key), static_cast<std::size_t>(ASN1_STRING_length(key)),
                 digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return std::nullopt;
  }
  return key_of(Sort::kCertificate, std::span(digest).first(size));
}

bool is_client(const HolderKey& key) {
  return key.bytes.front() == static_cast<unsigned char>(Sort::kCertificate);
}

}  // namespace dynamo::server

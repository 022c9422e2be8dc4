#include "server/peer_key.hpp"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <span>

#include "aio/peer_network.hpp"

namespace dynamo::server {

namespace {

// The first byte, so that keys of different types never collide.
enum class KeyType : unsigned char { kUnknown, kAddress, kCertificate };

PeerKey key_of(KeyType type, std::span<const unsigned char> bytes) {
  PeerKey key;
  key.bytes.front() = static_cast<unsigned char>(type);
  std::ranges::copy(bytes, key.bytes.begin() + 1);
  return key;
}

}  // namespace

PeerKey peer_by_address(int socket) {
  const auto network = aio::peer_network(socket);
  return network ? key_of(KeyType::kAddress, *network) : PeerKey{};
}

std::optional<PeerKey> peer_by_certificate(const SSL* ssl) {
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
  return key_of(KeyType::kCertificate, std::span(digest).first(size));
}

bool is_client(const PeerKey& key) {
  return key.bytes.front() == static_cast<unsigned char>(KeyType::kCertificate);
}

}  // namespace dynamo::server

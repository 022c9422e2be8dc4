#include "tls/ssh_key.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dynamo::tls {
namespace {

constexpr std::string_view kType = "ecdsa-sha2-nistp256";
constexpr std::string_view kCurve = "nistp256";
constexpr std::size_t kScalarBytes = 32;
constexpr std::size_t kPointBytes = 2 * kScalarBytes + 1;  // uncompressed

using BigNumberPtr = std::unique_ptr<BIGNUM, OpensslDelete<BN_clear_free>>;

// The forms of RFC 4251, section 5.
void append_number(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xFFU);
  }
}

void append_string(std::string& out, std::string_view text) {
  append_number(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

// `bytes` is a positive number, the most significant byte first.
void append_mpint(std::string& out, std::string_view bytes) {
  bytes.remove_prefix(std::min(bytes.find_first_not_of('\0'), bytes.size()));
  const bool reads_as_negative =
      !bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0x80U) != 0;
  append_number(out, static_cast<std::uint32_t>(bytes.size() + (reads_as_negative ? 1 : 0)));
  if (reads_as_negative) out += '\0';
  out += bytes;
}

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the zero that OpenSSL appends
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::string wrapped(std::string_view text) {
  constexpr std::size_t kWidth = 70;
  std::string out;
  out.reserve(text.size() + text.size() / kWidth + 1);
  for (; !text.empty(); text.remove_prefix(std::min(kWidth, text.size()))) {
    out += text.substr(0, kWidth);
    out += '\n';
  }
  return out;
}

bool read_point(EVP_PKEY* key, std::string& point) {
  std::size_t length = 0;
  point.resize(kPointBytes);
  return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY,
                                         reinterpret_cast<unsigned char*>(point.data()),
                                         point.size(), &length) == 1 &&
         length == kPointBytes;
}

bool read_scalar(EVP_PKEY* key, std::string& scalar) {
  BIGNUM* number = nullptr;
  const bool found = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1;
  const BigNumberPtr owned(number);
  scalar.resize(kScalarBytes);
  return found && BN_bn2binpad(number, reinterpret_cast<unsigned char*>(scalar.data()),
                               static_cast<int>(scalar.size())) == static_cast<int>(kScalarBytes);
}

// PROTOCOL.key of OpenSSH, with the cipher "none".
std::string private_key_file(std::string_view public_blob, std::string_view point,
                             std::string_view scalar, std::uint32_t check,
                             std::string_view comment) {
  constexpr std::string_view kMagic("openssh-key-v1\0", 15);
  constexpr std::size_t kBlock = 8;  // of the cipher "none"
  std::string inner;
  append_number(inner, check);
  append_number(inner, check);
  append_string(inner, kType);
  append_string(inner, kCurve);
  append_string(inner, point);
  append_mpint(inner, scalar);
  append_string(inner, comment);
  for (char padding = 1; inner.size() % kBlock != 0; ++padding) inner += padding;
  std::string whole(kMagic);
  append_string(whole, "none");
  append_string(whole, "none");
  append_string(whole, "");
  append_number(whole, 1);
  append_string(whole, public_blob);
  append_string(whole, inner);
  return "-----BEGIN OPENSSH PRIVATE KEY-----\n" + wrapped(base64(whole)) +
         "-----END OPENSSH PRIVATE KEY-----\n";
}

runtime::Error refused() {
  return runtime::Error{"OpenSSL makes no key: " + take_openssl_error()};
}

}  // namespace

PemResult<SshKeyPair> generate_ssh_key_pair(std::string_view comment) {
  ERR_clear_error();
  const EvpKeyPtr key(EVP_EC_gen("P-256"));
  std::string point;
  std::string scalar;
  std::array<unsigned char, 4> random{};
  if (!key || !read_point(key.get(), point) || !read_scalar(key.get(), scalar) ||
      RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return refused();
  }
  std::uint32_t check = 0;
  for (const unsigned char byte : random) check = check << 8U | byte;
  std::string blob;
  append_string(blob, kType);
  append_string(blob, kCurve);
  append_string(blob, point);
  SshKeyPair pair;
  pair.private_key = private_key_file(blob, point, scalar, check, comment);
  pair.public_key = std::string(kType) + ' ' + base64(blob) + ' ' + std::string(comment) + '\n';
  return pair;
}

}  // namespace dynamo::tls

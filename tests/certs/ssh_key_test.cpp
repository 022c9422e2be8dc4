#include "tls/ssh_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/ec.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/base64.hpp"

namespace dynamo::tls {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr std::string_view kBegin = "-----BEGIN OPENSSH PRIVATE KEY-----\n";
constexpr std::string_view kEnd = "-----END OPENSSH PRIVATE KEY-----\n";
constexpr std::string_view kType = "ecdsa-sha2-nistp256";

// Reads the forms of RFC 4251; a test fails where the bytes end early.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::string_view take(std::size_t size) {
    EXPECT_LE(size, rest_.size());
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(std::min(size, rest_.size()));
    return taken;
  }
  std::uint32_t number() {
    std::uint32_t number = 0;
    for (const char byte : take(4)) number = number << 8U | static_cast<unsigned char>(byte);
    return number;
  }
  std::string_view string() { return take(number()); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::string decoded(std::string_view text) {
  const auto bytes = text::decode_base64(text, text::Base64Blanks::kLineBreaks);
  EXPECT_TRUE(bytes) << text;
  return bytes.value_or("");
}

std::string body_of(const std::string& file) {
  EXPECT_THAT(file, StartsWith(std::string(kBegin)));
  EXPECT_THAT(file, EndsWith(std::string(kEnd)));
  return decoded(std::string_view(file).substr(
      kBegin.size(), file.size() - std::min(file.size(), kBegin.size() + kEnd.size())));
}

// The point that belongs to a private number, uncompressed.
std::string point_of(std::string_view scalar) {
  EC_GROUP* const group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  BIGNUM* const number = BN_bin2bn(reinterpret_cast<const unsigned char*>(scalar.data()),
                                   static_cast<int>(scalar.size()), nullptr);
  EC_POINT* const point = EC_POINT_new(group);
  EXPECT_EQ(EC_POINT_mul(group, point, number, nullptr, nullptr, nullptr), 1);
  std::string bytes(65, '\0');
  EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED,
                     reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), nullptr);
  EC_POINT_free(point);
  BN_clear_free(number);
  EC_GROUP_free(group);
  return bytes;
}

TEST(SshKey, PrivateKeyBelongsToPublicKey) {
  // Numbers of P-256 begin with a zero byte, or with a high bit, in some of so many.
  for (int i = 0; i < 64; ++i) {
    const SshKeyPair pair = generate_ssh_key_pair("mpi@ml").value();
    const std::string prefix = std::string(kType) + " ";
    ASSERT_THAT(pair.public_key, StartsWith(prefix));
    ASSERT_THAT(pair.public_key, EndsWith(" mpi@ml\n"));
    const std::string line = pair.public_key.substr(prefix.size());
    const std::string blob = decoded(line.substr(0, line.find(' ')));
    Reader key(blob);
    EXPECT_EQ(key.string(), kType);
    EXPECT_EQ(key.string(), "nistp256");
    const std::string_view point = key.string();
    EXPECT_EQ(key.rest(), "");

    const std::string body = body_of(pair.private_key);
    Reader file(body);
    EXPECT_EQ(file.take(15), std::string_view("openssh-key-v1\0", 15));
    EXPECT_EQ(file.string(), "none");
    EXPECT_EQ(file.string(), "none");
    EXPECT_EQ(file.string(), "");
    EXPECT_EQ(file.number(), 1U);
    EXPECT_EQ(file.string(), blob);
    const std::string_view inner_text = file.string();
    EXPECT_EQ(file.rest(), "");
    EXPECT_EQ(inner_text.size() % 8, 0U);
    Reader inner(inner_text);
    EXPECT_EQ(inner.number(), inner.number());
    EXPECT_EQ(inner.string(), kType);
    EXPECT_EQ(inner.string(), "nistp256");
    EXPECT_EQ(inner.string(), point);
    const std::string_view scalar = inner.string();
    ASSERT_FALSE(scalar.empty());
    EXPECT_LT(static_cast<unsigned char>(scalar.front()), 0x80) << "reads as a negative number";
    EXPECT_EQ(point_of(scalar), point);
    EXPECT_EQ(inner.string(), "mpi@ml");
    constexpr std::string_view kPadding = "\1\2\3\4\5\6\7";
    EXPECT_EQ(inner.rest(), kPadding.substr(0, inner.rest().size()));
  }
}

TEST(SshKey, EachCallGeneratesAnotherKey) {
  const SshKeyPair first = generate_ssh_key_pair("a").value();
  const SshKeyPair second = generate_ssh_key_pair("a").value();
  EXPECT_NE(first.private_key, second.private_key);
  EXPECT_NE(first.public_key, second.public_key);
}

TEST(SshKey, LinesHaveAtMostSeventyBytes) {
  const std::string file = generate_ssh_key_pair(std::string(100, 'c')).value().private_key;
  std::string_view rest = file;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    ASSERT_NE(end, std::string_view::npos);
    EXPECT_LE(end, 70U);
    rest.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace dynamo::tls

#include "reconciler/model/reach.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace dynamo::reconciler::model {
namespace {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

// Services of the host or of the cloud at non-pod addresses: the platform channel of Azure, and the
// metadata services of Alibaba Cloud and Oracle Cloud. 192.0.0.0/24 is reserved for protocol
// assignments. Other clouds use 169.254.169.254, which is link-local.
bool is_cloud_service(const address_v4& address) {
  constexpr std::uint32_t kAzurePlatform = 0xA83F8110;    // 168.63.129.16
  constexpr std::uint32_t kAlibabaMetadata = 0x646464C8;  // 100.100.100.200
  constexpr std::uint32_t kAssignments = 0xC00000;        // 192.0.0.0/24
  const std::uint32_t bits = address.to_uint();
  return bits == kAzurePlatform || bits == kAlibabaMetadata || (bits >> 8U) == kAssignments;
}

// fd00:ec2::/32 contains the services of Amazon EC2, such as fd00:ec2::254 for metadata;
// fd20:ce::254 is the metadata server of Google Cloud.
bool is_cloud_service(const address_v6& address) {
  constexpr std::array<unsigned char, 4> kAmazon{0xfd, 0x00, 0x0e, 0xc2};
  constexpr address_v6::bytes_type kGoogle{0xfd, 0x20, 0, 0xce, 0, 0, 0, 0,
                                           0,    0,    0, 0,    0, 0, 2, 0x54};
  const address_v6::bytes_type bytes = address.to_bytes();
  return std::equal(kAmazon.begin(), kAmazon.end(), bytes.begin()) || bytes == kGoogle;
}

constexpr const char* kOfTheCloud = "it is an address of the cloud provider's services";

std::string why_v4(const address_v4& address) {
  const std::uint32_t bits = address.to_uint();
  constexpr std::uint32_t kLinkLocal = 0xA9FE;  // 169.254.0.0/16
  if ((bits >> 24U) == 0) return "it is an address of no host";
  if (address.is_loopback()) return "it is a loopback address";
  if ((bits >> 16U) == kLinkLocal) return "it is a link-local address";
  if (address.is_multicast()) return "it is a multicast address";
  if (address == address_v4::broadcast()) return "it is a broadcast address";
  if (is_cloud_service(address)) return kOfTheCloud;
  return {};
}

// An IPv4 address embedded in an IPv6 address: after `prefix`, at byte `at`.
struct Embedding {
  std::size_t prefix_bytes = 0;
  std::array<unsigned char, 12> prefix = {};
  std::size_t at = 0;
  bool is_inverted = false;
};

constexpr std::array<Embedding, 6> kEmbeddings = {{
    {.prefix_bytes = 12, .prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, .at = 12},  // mapped
    {.prefix_bytes = 12, .prefix = {}, .at = 12},                                    // compatible
    {.prefix_bytes = 12, .prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, .at = 12},  // translated
    {.prefix_bytes = 12, .prefix = {0, 0x64, 0xff, 0x9b}, .at = 12},                 // NAT64
    {.prefix_bytes = 2, .prefix = {0x20, 0x02}, .at = 2},                            // 6to4
    {.prefix_bytes = 4, .prefix = {0x20, 0x01}, .at = 12, .is_inverted = true},      // Teredo
}};

std::optional<address_v4> v4_within(const address_v6& address) {
  const address_v6::bytes_type bytes = address.to_bytes();
  for (const Embedding& each : kEmbeddings) {
    if (!std::equal(bytes.begin(), bytes.begin() + each.prefix_bytes, each.prefix.begin())) {
      continue;
    }
    address_v4::bytes_type within{};
    std::copy_n(bytes.begin() + each.at, within.size(), within.begin());
    if (each.is_inverted) {
      for (unsigned char& byte : within) byte = static_cast<unsigned char>(~byte);
    }
    return address_v4(within);
  }
  // ISATAP: its network prefix is arbitrary.
  const bool is_isatap =
      (bytes[8] == 0 || bytes[8] == 2) && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
  if (!is_isatap) return std::nullopt;
  return address_v4({bytes[12], bytes[13], bytes[14], bytes[15]});
}

// 64:ff9b:1::/48: only its network knows the position of the embedded IPv4 address.
bool is_of_local_nat64(const address_v6& address) {
  constexpr std::array<unsigned char, 6> kPrefix{0, 0x64, 0xff, 0x9b, 0, 1};
  const address_v6::bytes_type bytes = address.to_bytes();
  return std::equal(kPrefix.begin(), kPrefix.end(), bytes.begin());
}

std::string why_v6(const address_v6& address) {
  if (address.is_loopback()) return "it is a loopback address";
  if (address.is_unspecified()) return "it is an address of no host";
  if (address.is_link_local() || address.scope_id() != 0) return "it is a link-local address";
  if (address.is_multicast()) return "it is a multicast address";
  if (is_cloud_service(address)) return kOfTheCloud;
  if (is_of_local_nat64(address)) return "it is translated to an unknown address";
  const auto within = v4_within(address);
  return within ? why_v4(*within) : std::string();
}

}  // namespace

std::string why_out_of_reach(const boost::asio::ip::address& address) {
  return address.is_v4() ? why_v4(address.to_v4()) : why_v6(address.to_v6());
}

}  // namespace dynamo::reconciler::model

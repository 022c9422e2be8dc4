// Formats of values on a command line: durations, sizes, addresses.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::runtime {

// A listening address. An empty host means every interface, IPv6 and IPv4.
struct Address {
  std::string host;        // an IP address without brackets, or empty
  std::uint16_t port = 0;  // 0: the kernel chooses

  bool operator==(const Address&) const = default;
};

// A Kubernetes service account, written NAMESPACE/NAME.
struct ServiceAccount {
  std::string service_namespace;
  std::string name;

  bool operator==(const ServiceAccount&) const = default;
};

// Go's format: `10s`, `1m30s`, `500ms`, `1.5h`, `-2s`, `0`; units ns us µs ms s m h. nullopt for
// any other form, or beyond the range of 64-bit nanoseconds. Does not allocate.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// The shortest such form: `1m30s`, `500ms`, `0s`.
std::string format_duration(std::chrono::nanoseconds duration);

// A whole number of bytes, or of KiB, MiB, GiB (also written Ki, Mi, Gi): `7340032`, `7MiB`.
std::optional<std::uint64_t> parse_size(std::string_view text);

// In the largest unit that divides it: `7MiB`, `1000`.
std::string format_size(std::uint64_t bytes);

// Decimal digits only, no sign.
std::optional<std::uint64_t> parse_count(std::string_view text);

// `IP:PORT`, `[IPv6]:PORT` or `:PORT`. `localhost` means 127.0.0.1. Other names are refused,
// because their address may change while a server runs.
std::optional<Address> parse_address(std::string_view text);

// The form that parse_address() accepts.
std::string format_address(const Address& address);

std::optional<ServiceAccount> parse_service_account(std::string_view text);

// One or more, separated by single commas, each NAMESPACE/NAME or the API server's user name:
// system:serviceaccount:NAMESPACE:NAME.
std::optional<std::vector<ServiceAccount>> parse_service_accounts(std::string_view text);

// A DNS-1123 label: at most 63 lower-case letters, digits and inner hyphens.
bool is_namespace_name(std::string_view text);

// A DNS-1123 subdomain: at most 253 characters, such labels joined by dots.
bool is_dns_name(std::string_view text);

}  // namespace dynamo::runtime

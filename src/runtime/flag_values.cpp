#include "runtime/flag_values.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "text/names.hpp"

namespace dynamo::runtime {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array<Unit, 8> kDurationUnits{{{"ns", 1},
                                              {"us", 1'000},
                                              {"\xC2\xB5s", 1'000},  // µ, micro sign
                                              {"\xCE\xBCs", 1'000},  // μ, Greek mu
                                              {"ms", 1'000'000},
                                              {"s", 1'000'000'000},
                                              {"m", 60'000'000'000},
                                              {"h", 3'600'000'000'000}}};

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 6> kSizeUnits{{{"GiB", 1U << 30},
                                                                                {"MiB", 1U << 20},
                                                                                {"KiB", 1U << 10},
                                                                                {"Gi", 1U << 30},
                                                                                {"Mi", 1U << 20},
                                                                                {"Ki", 1U << 10}}};

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

// Removes one part such as `12.5ms` from the front of `text` and returns it in nanoseconds.
std::optional<std::int64_t> take_duration_part(std::string_view& text) {
  const std::size_t whole_digits = digits_at(text);
  std::uint64_t whole = 0;
  if (whole_digits > 0) {
    const auto parsed = parse_count(text.substr(0, whole_digits));
    if (!parsed) return std::nullopt;
    whole = *parsed;
  }
  text.remove_prefix(whole_digits);

  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = text.substr(0, digits_at(text));
    text.remove_prefix(fraction.size());
  }
  if (whole_digits == 0 && fraction.empty()) return std::nullopt;

  const std::size_t unit_end = std::min(text.find_first_of(".0123456789"), text.size());
  const std::string_view unit_name = text.substr(0, unit_end);
  const auto unit = std::find_if(kDurationUnits.begin(), kDurationUnits.end(),
                                 [unit_name](const Unit& u) { return u.name == unit_name; });
  if (unit == kDurationUnits.end()) return std::nullopt;
  text.remove_prefix(unit_end);

  const auto scale = static_cast<std::uint64_t>(unit->nanoseconds);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (whole > kMax / scale) return std::nullopt;
  std::uint64_t total = whole * scale;
  // Each digit is worth a tenth of the previous one; fractions of a nanosecond are cut off.
  std::uint64_t digit_worth = scale;
  for (const char digit : fraction) {
    digit_worth /= 10;
    total += static_cast<std::uint64_t>(digit - '0') * digit_worth;
  }
  if (total > kMax) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

bool is_address_of_family(int family, const std::string& host) {
  in6_addr parsed;  // large enough for either family
  return inet_pton(family, host.c_str(), &parsed) == 1;
}

std::optional<ServiceAccount> split_account(std::string_view text, char separator) {
  const std::size_t split = text.find(separator);
  if (split == std::string_view::npos) return std::nullopt;
  const std::string_view service_namespace = text.substr(0, split);
  const std::string_view name = text.substr(split + 1);
  if (!text::is_dns_label(service_namespace) || !text::is_dns_subdomain(name)) return std::nullopt;
  return ServiceAccount{std::string(service_namespace), std::string(name)};
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    const auto part = take_duration_part(text);
    if (!part || *part > std::numeric_limits<std::int64_t>::max() - total) return std::nullopt;
    total += *part;
  }
  return std::chrono::nanoseconds(negative ? -total : total);
}

std::string format_duration(std::chrono::nanoseconds duration) {
  if (duration.count() == 0) return "0s";
  std::string text;
  // Unsigned, so that the most negative value has a magnitude, too.
  auto left = static_cast<std::uint64_t>(duration.count());
  if (duration.count() < 0) {
    text = "-";
    left = 0 - left;
  }
  constexpr std::array<std::string_view, 6> kLargestFirst{"h", "m", "s", "ms", "us", "ns"};
  for (const std::string_view name : kLargestFirst) {
    const auto unit = std::find_if(kDurationUnits.begin(), kDurationUnits.end(),
                                   [name](const Unit& u) { return u.name == name; });
    const auto worth = static_cast<std::uint64_t>(unit->nanoseconds);
    if (left < worth) continue;
    text += std::to_string(left / worth);
    text += name;
    left %= worth;
  }
  return text;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t worth = 1;
  for (const auto& [suffix, bytes] : kSizeUnits) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(suffix.size());
    worth = bytes;
    break;
  }
  const auto number = parse_count(text);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / worth) return std::nullopt;
  return *number * worth;
}

std::string format_size(std::uint64_t bytes) {
  for (const auto& [suffix, worth] : kSizeUnits) {
    if (bytes >= worth && bytes % worth == 0) {
      return std::to_string(bytes / worth).append(suffix);
    }
  }
  return std::to_string(bytes);
}

std::optional<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_count(text.substr(colon + 1));
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;

  std::string_view host = text.substr(0, colon);
  Address address{.host = {}, .port = static_cast<std::uint16_t>(*port)};
  if (host.empty()) return address;
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  address.host = host == "localhost" && !bracketed ? "127.0.0.1" : std::string(host);
  // inet_pton stops at an embedded NUL.
  if (address.host.find('\0') != std::string::npos) return std::nullopt;
  if (!is_address_of_family(bracketed ? AF_INET6 : AF_INET, address.host)) return std::nullopt;
  return address;
}

std::string format_address(const Address& address) {
  const bool needs_brackets = address.host.find(':') != std::string::npos;
  std::string text = needs_brackets ? "[" + address.host + "]" : address.host;
  return text + ":" + std::to_string(address.port);
}

std::optional<ServiceAccount> parse_service_account(std::string_view text) {
  return split_account(text, '/');
}

std::optional<std::vector<ServiceAccount>> parse_service_accounts(std::string_view text) {
  constexpr std::string_view kUser = "system:serviceaccount:";
  std::vector<ServiceAccount> accounts;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    auto account = word.starts_with(kUser) ? split_account(word.substr(kUser.size()), ':')
                                           : split_account(word, '/');
    if (!account) return std::nullopt;
    accounts.push_back(*std::move(account));
    if (comma == std::string_view::npos) return accounts;
    text.remove_prefix(comma + 1);
  }
}

bool is_namespace_name(std::string_view text) {
  return text::is_dns_label(text);
}

bool is_dns_name(std::string_view text) {
  return text::is_dns_subdomain(text);
}

}  // namespace dynamo::runtime

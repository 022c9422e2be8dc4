#include "validators/content/ip_address.hpp"

#include <algorithm>
#include <cstddef>

namespace dynamo::validators {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_octet(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return false;
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  if (text.size() > 3) return false;
  int number = 0;
  for (const char digit : text) number = number * 10 + (digit - '0');
  return number <= 255;
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 3; ++part) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || !is_octet(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_octet(text);
}

// The number of groups between colons; an IPv4 address counts as two. -1 if a group is invalid.
int count_groups(std::string_view text) {
  if (text.empty()) return 0;
  int groups = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == std::string_view::npos && group.find('.') != std::string_view::npos) {
      return is_ipv4(group) ? groups + 2 : -1;
    }
    if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_hex_digit)) return -1;
    if (++groups > 8) return -1;
    if (colon == std::string_view::npos) return groups;
    text.remove_prefix(colon + 1);
  }
}

bool is_ipv6(std::string_view text) {
  constexpr int kGroups = 8;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return count_groups(text) == kGroups;
  const std::string_view left = text.substr(0, gap);
  const std::string_view right = text.substr(gap + 2);
  // An IPv4 address is only allowed at the end.
  if (left.find('.') != std::string_view::npos) return false;
  const int before = count_groups(left);
  const int behind = count_groups(right);
  return before >= 0 && behind >= 0 && before + behind < kGroups;
}

}  // namespace

bool is_ip_address(std::string_view text) {
  return text.find(':') == std::string_view::npos ? is_ipv4(text) : is_ipv6(text);
}

}  // namespace dynamo::validators

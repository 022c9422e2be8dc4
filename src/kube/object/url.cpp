#include "kube/object/url.hpp"

#include <algorithm>
#include <array>

namespace dynamo::kube {
namespace {

// Unreserved characters of RFC 3986.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> is_plain{};
  for (unsigned char c = '0'; c <= '9'; ++c) is_plain[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) is_plain[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) is_plain[c] = true;
  for (const char c : std::string_view("-._~")) is_plain[static_cast<unsigned char>(c)] = true;
  return is_plain;
}();

bool is_plain(char c) {
  return kIsPlain[static_cast<unsigned char>(c)];
}

}  // namespace

void append_url_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  while (!text.empty()) {
    // Usually the whole text.
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const auto byte = static_cast<unsigned char>(text.front());
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
    text.remove_prefix(1);
  }
}

void append_query(std::string& target, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += name;
  target += '=';
  append_url_escaped(target, value);
}

}  // namespace dynamo::kube

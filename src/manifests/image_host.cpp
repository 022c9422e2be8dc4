#include "manifests/image_host.hpp"

#include <algorithm>

namespace dynamo::render {
namespace {

constexpr bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

constexpr bool is_control(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr unsigned char kDelete = 0x7F;
  return byte < kFirstPrintable || byte == kDelete;
}

// Whether a URL's host may contain the character unescaped.
constexpr bool fits_host(char letter) {
  const bool word = is_digit(letter) || (letter >= 'a' && letter <= 'z') ||
                    (letter >= 'A' && letter <= 'Z') || static_cast<signed char>(letter) < 0;
  return word || std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(letter) != std::string_view::npos;
}

// Whether the port is valid; it may be empty. Only a port may follow a bracket.
bool port_fits(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t bracket = host.rfind(']');
    if (bracket == std::string_view::npos) return false;
    host.remove_prefix(bracket + 1);
    if (host.empty()) return true;
    if (host.front() != ':') return false;
  }
  const std::size_t colon = host.rfind(':');
  return colon == std::string_view::npos || std::ranges::all_of(host.substr(colon + 1), is_digit);
}

}  // namespace

std::optional<std::string_view> image_host(std::string_view image) {
  if (std::ranges::any_of(image, is_control)) return std::nullopt;
  if (const std::size_t scheme = image.find("://"); scheme != std::string_view::npos) {
    image.remove_prefix(scheme + 3);
  }
  std::string_view host = image.substr(0, image.find_first_of("/?#"));
  if (const std::size_t user = host.rfind('@'); user != std::string_view::npos) {
    host.remove_prefix(user + 1);
  }
  if (host.empty() || !std::ranges::all_of(host, fits_host) || !port_fits(host)) {
    return std::nullopt;
  }
  return host;
}

}  // namespace dynamo::render

#include "kube/config/config_server.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "kube/config/credentials_files.hpp"

namespace dynamo::kube {
namespace {

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() && port >= 1 &&
         port <= 65535;
}

bool is_host_name(std::string_view text) {
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' || letter == '_';
  };
  return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, fits);
}

bool is_ipv6(std::string_view text) {
  boost::system::error_code error;
  boost::asio::ip::make_address_v6(std::string(text), error);
  return !error;
}

bool is_path(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) {
    return letter > ' ' && letter < '\x7f' && letter != '?' && letter != '#';
  });
}

}  // namespace

bool is_loopback(std::string_view host) {
  if (host == "localhost") return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

Result<void> read_server(std::string_view url, std::string_view field, ConnectionConfig& config) {
  constexpr std::string_view kHttps = "https://";
  constexpr std::string_view kHttp = "http://";
  if (url.empty()) return config_error(field, "must be the URL of the API server, is missing");
  config.tls = url.starts_with(kHttps);
  if (!config.tls && !url.starts_with(kHttp)) {
    return config_error(field, "must be a URL that begins with https://");
  }
  std::string_view rest = url.substr(config.tls ? kHttps.size() : kHttp.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  std::string_view prefix = rest.substr(slash);
  if (authority.find('@') != std::string_view::npos) {
    return config_error(field, "must not hold a user name or password");
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos || !is_ipv6(authority.substr(1, end - 1))) {
      return config_error(field, "must have an IPv6 address between the brackets");
    }
    config.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    config.host = authority.substr(0, colon);
    port = authority.substr(colon);
    if (!is_host_name(config.host)) {
      return config_error(field, "must name a host, or an address (IPv6 in brackets)");
    }
  }
  if (port.empty()) {
    config.port = config.tls ? "443" : "80";
  } else {
    if (!port.starts_with(':') || !is_port(port.substr(1))) {
      return config_error(field, "must have a port between 1 and 65535");
    }
    config.port = port.substr(1);
  }
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!is_path(prefix)) {
    return config_error(field, "must be a URL of host, port and path, without query or fragment");
  }
  config.prefix = prefix;
  if (!config.tls && !is_loopback(config.host)) {
    return config_error(field, "must be an https URL; http is for loopback only");
  }
  return {};
}

}  // namespace dynamo::kube

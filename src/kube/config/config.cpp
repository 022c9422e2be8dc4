#include "kube/config/config.hpp"

#include "kube/config/config_server.hpp"
#include "kube/config/credentials_files.hpp"

namespace dynamo::kube {
namespace {

constexpr std::size_t kMaxNamespaceBytes = 4096;

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

std::string ConnectionConfig::address() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (tls ? "https://" : "http://") + (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

Result<ConnectionConfig> load_in_cluster(std::string_view directory, std::string_view host,
                                         std::string_view port) {
  if (host.empty() || port.empty()) {
    return config_error("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT",
                        "must be set, as they are in every pod");
  }
  ConnectionConfig config;
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  const std::string url = "https://" +
                          (is_ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" +
                          std::string(port);
  if (auto read = read_server(url, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT", config);
      !read) {
    return read.error();
  }
  if (!config.prefix.empty()) {
    return config_error("KUBERNETES_SERVICE_PORT", "must be a port between 1 and 65535");
  }
  const std::string folder = std::string(directory) + (directory.ends_with('/') ? "" : "/");
  config.token_file = folder + "token";
  config.ca.file = folder + "ca.crt";
  config.ca.origin = config.ca.file;
  if (auto token = read_file(config.token_file, kMaxCredentialBytes, ""); !token) {
    return token.error();
  }
  if (auto ca = read_file(config.ca.file, kMaxCredentialBytes, ""); !ca) return ca.error();
  auto namespace_name = read_file_if_any(folder + "namespace", kMaxNamespaceBytes, "");
  if (!namespace_name) return namespace_name.error();
  config.namespace_name = first_line(namespace_name->value_or(""));
  return config;
}

}  // namespace dynamo::kube

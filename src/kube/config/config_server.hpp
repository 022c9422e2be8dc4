// Parses the address of an API server in a kubeconfig.
#pragma once

#include <string>
#include <string_view>

#include "kube/config/config.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

// Sets tls, host, port and prefix from a URL such as "https://[::1]:6443/k8s". Returns kConfig,
// starting with `field`, for anything except https or http to loopback, and for a URL with more
// than host, port and path. Never repeats the URL in errors: it may contain a password.
Result<void> read_server(std::string_view url, std::string_view field, ConnectionConfig& config);

// "127.0.0.1" to "127.255.255.254", "::1", "localhost".
bool is_loopback(std::string_view host);

}  // namespace dynamo::kube

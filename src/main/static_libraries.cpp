#include "main/static_libraries.hpp"

#include <nss.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace {

// Default paths of OpenSSL as built by Debian.
constexpr std::array<const char*, 2> kKnownToOpenssl{"/usr/lib/ssl/cert.pem", "/usr/lib/ssl/certs"};

// CA bundles of distributions: Debian, Arch and Alpine; Fedora and RHEL, current and former;
// openSUSE; others.
constexpr std::array<const char*, 5> kAuthorities{
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

bool exists(const char* path) {
  std::error_code unreadable;
  return std::filesystem::exists(path, unreadable);
}

void find_authorities() {
  if (std::getenv("SSL_CERT_FILE") != nullptr || std::getenv("SSL_CERT_DIR") != nullptr) return;
  for (const char* const path : kKnownToOpenssl) {
    if (exists(path)) return;
  }
  for (const char* const path : kAuthorities) {
    if (!exists(path)) continue;
    setenv("SSL_CERT_FILE", path, 0);
    return;
  }
}

}  // namespace

void configure_static_libraries() {
  // Other services in nsswitch.conf are shared libraries for another C library and must not be
  // loaded.
  __nss_configure_lookup("hosts", "files dns");
  find_authorities();
}

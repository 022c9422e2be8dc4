// kubectl-dynamo, which kubectl runs as `kubectl dynamo`: arguments, environment, streams and exit
// codes.
#include <poll.h>
#include <unistd.h>

#include <nss.h>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <system_error>
#include <variant>

#include "cli/commands/commands.hpp"
#include "cli/options/options.hpp"

namespace {

// True if the reader of our output has closed it, as `head` does after enough lines.
bool reader_is_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The source of the path from kubeconfig_of_environment(), for errors.
std::string kubeconfig_source_of_environment() {
  return environment_variable("KUBECONFIG").empty() ? "the default path" : "from KUBECONFIG";
}

// The kubeconfig that kubectl would use; empty: none.
std::string kubeconfig_of_environment() {
  std::string named = environment_variable("KUBECONFIG");
  if (!named.empty()) return named;
  const std::string home = environment_variable("HOME");
  const std::string usual = home + "/.kube/config";
  std::error_code unreadable;
  return !home.empty() && std::filesystem::exists(usual, unreadable) ? usual : "";
}

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

// Adapts the statically linked C library and OpenSSL to distributions other than Debian: host names
// resolve without NSS plugins, and an unset SSL_CERT_FILE gets the distribution's CA bundle. Call
// it before anything else, while there is one thread.
[[maybe_unused]] void configure_static_libraries() {
  // Other services in nsswitch.conf are shared libraries for another C library and must not be
  // loaded.
  __nss_configure_lookup("hosts", "files dns");
  find_authorities();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dynamo;
  if constexpr (DYNAMO_STATIC != 0) configure_static_libraries();
  const std::span<const char* const> arguments(argv + 1,
                                               static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  // A reader that closes is a failed write and does not end the process: reports that go to files
  // are still finished.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);

  const auto parsed = cli::parse_options(arguments);
  if (const auto* const mistake = std::get_if<cli::UsageError>(&parsed)) {
    std::cerr << mistake->text;
    return cli::kExitUnusable;
  }
  cli::Streams streams{
      .in = std::cin,
      .out = std::cout,
      .err = std::cerr,
      .out_is_terminal = isatty(STDOUT_FILENO) == 1,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .no_color =
          !environment_variable("NO_COLOR").empty() || environment_variable("TERM") == "dumb",
      .is_dumb = environment_variable("TERM") == "dumb",
      .workspace = environment_variable("GITHUB_WORKSPACE"),
      .cluster = {.kubeconfig = kubeconfig_of_environment(),
                  .kubeconfig_source = kubeconfig_source_of_environment(),
                  .service_host = environment_variable("KUBERNETES_SERVICE_HOST"),
                  .service_port = environment_variable("KUBERNETES_SERVICE_PORT")}};
  const int code = cli::run(std::get<cli::Options>(parsed), streams);
  if (std::cout.flush() || code == cli::kExitDefect) return code;
  if (!reader_is_gone()) std::cerr << cli::kProgramName << ": standard output cannot be written\n";
  return cli::kExitUnusable;
}

// Any bytes as a kubeconfig: an error is one printable line without secrets. A configuration that
// loads has usable values, and requests built from it have exactly the header lines they need. The
// reader takes paths, so the input is a file in a directory of its own.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.hpp"
#include "fuzz/input.hpp"
#include "json/yaml.hpp"
#include "kube/config/config.hpp"
#include "kube/config/config_server.hpp"
#include "kube/config/credentials_files.hpp"
#include "kube/http/http_answer.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temporary_directory.hpp"
#include "text/printable.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace kube = dynamo::kube;

namespace {

class Directory {
 public:
  Directory() {
    write("token", "token-of-a-file\n");
    // Instead of the system's roots, which take longer than everything else.
    write("roots", "");
    ::setenv("SSL_CERT_FILE", file("roots").c_str(), 1);
    ::setenv("SSL_CERT_DIR", file("none").c_str(), 1);
  }

  std::string file(std::string_view name) const { return (directory_.path() / name).string(); }
  void write(std::string_view name, std::string_view content) const {
    std::ofstream out(file(name), std::ios::binary | std::ios::trunc);
    out << content;
    fuzz::require(out.good(), "a file can be written");
  }

 private:
  dynamo::test::TemporaryDirectory directory_;
};

void require_line(std::string_view text) {
  if (dynamo::text::find_invisible(text) >= text.size()) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  fuzz::require(false, "an error is one printable line");
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// A secret that appears once in the file is no name that an error may quote. One with spaces or a
// short one can be part of an error's own text.
void require_no_secret(std::string_view file, std::string_view error) {
  constexpr std::size_t kLeast = 12;
  json::YamlReader reader(file);
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) return;
  for (const json::Value each : document.root()["users"].elements()) {
    for (const std::string_view name : {"token", "password", "client-key-data"}) {
      const std::string_view secret = each["user"][name].string_or_empty();
      if (secret.size() < kLeast || secret.find(' ') != secret.npos) continue;
      if (count(file, secret) != 1) continue;
      const bool is_shown = error.find(dynamo::text::printable(secret)) != std::string_view::npos;
      fuzz::require(!is_shown, "an error has no secret");
    }
  }
}

void check_exec(const kube::ExecConfig& exec) {
  const auto has_zero = [](std::string_view text) { return text.find('\0') != text.npos; };
  fuzz::require(!exec.command.empty() && !has_zero(exec.command), "a plugin has a command");
  fuzz::require(std::ranges::none_of(exec.arguments, has_zero), "arguments are C strings");
  for (const auto& [name, value] : exec.environment) {
    fuzz::require(!name.empty() && name.find('=') == std::string::npos && !has_zero(name),
                  "a variable has a name");
    fuzz::require(!has_zero(value), "the value of a variable is a C string");
  }
  if (exec.cluster_info.empty()) return;
  fuzz::require(!json::parse_copy(exec.cluster_info)->error, "a plugin receives JSON");
}

void check_request(const kube::ConnectionConfig& config) {
  const kube::Request request(kube::HttpMethod::kGet, "/api");
  const auto text = kube::request_text(request, config, config.token, "fuzz");
  fuzz::require(text.has_value(), "a configuration that loads can be used");
  fuzz::require(text->starts_with("GET " + config.prefix + "/api HTTP/1.1\r\nHost: "),
                "a request has the path of the server");
  const std::size_t lines = config.token.empty() ? 5U : 6U;
  fuzz::require(count(*text, "\r\n") == lines && text->ends_with("\r\n\r\n"),
                "a request has no other header lines");
  fuzz::require(std::ranges::count(*text, '\n') == static_cast<std::ptrdiff_t>(lines),
                "a request has no other lines");
}

void check_config(const kube::ConnectionConfig& config) {
  fuzz::require(config.tls || kube::is_loopback(config.host), "plain HTTP stays on the machine");
  fuzz::require(!config.host.empty() && !config.port.empty(), "there is a server");
  fuzz::require(!config.prefix.ends_with('/'), "a prefix has no final slash");
  fuzz::require(config.client_certificate.empty() == config.client_key.empty(),
                "certificate and key belong together");
  require_line(config.address());
  check_request(config);
  if (config.exec) check_exec(*config.exec);
  for (const auto* pem : {&config.ca, &config.client_certificate, &config.client_key}) {
    fuzz::require(kube::read_pem(*pem).has_value(), "a certificate can be read again");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Directory directory;
  // 2027-02-03T04:05:06Z, when the certificates of the corpus are valid
  const dynamo::test::FakeClock clock(std::chrono::system_clock::from_time_t(1'801'627'506));
  const std::string_view text = fuzz::as_text(data, size);
  directory.write("config", text);
  for (const std::string_view context : {"", "other"}) {
    const auto config =
        kube::load_kubeconfig(directory.file("config"), context, clock, "from FUZZ");
    if (config) {
      check_config(*config);
      continue;
    }
    fuzz::require(config.error().failure == kube::FailureKind::kConfig,
                  "an error is one of the configuration");
    require_line(config.error().text);
    require_no_secret(text, config.error().text);
  }
  return 0;
}

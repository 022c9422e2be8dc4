#include "process/pod_identity.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <ios>
#include <random>
#include <string_view>

#include "text/names.hpp"

namespace dynamo::process {

std::string new_identity(const char* fallback) {
  std::array<char, 256> host{};
  std::string identity = ::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : fallback;
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  identity += '_';
  for (int i = 0; i < 8; ++i) identity += kDigits[random() % kDigits.size()];
  return identity;
}

std::string namespace_of_pod(const std::string& service_account_directory) {
  constexpr std::streamsize kMaxBytes = 64;
  std::ifstream file(service_account_directory + "/namespace");
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), kMaxBytes);
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text::is_dns_label(text) ? text : "";
}

}  // namespace dynamo::process

#include "cli/formats/uri.hpp"

#include <charconv>

#include "cli/formats/source_paths.hpp"

namespace dynamo::cli {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string_view without_dot(std::string_view file) {
  while (file.starts_with("./") && file.size() > 2) {
    file.remove_prefix(2);
    while (file.size() > 1 && file.front() == '/') file.remove_prefix(1);
  }
  return file;
}

std::string source_name(std::string_view file, const ReporterOptions& options) {
  if (options.source_paths != nullptr) return options.source_paths->of(file);
  return std::string(without_dot(file));
}

std::string uri_of(std::string_view file) {
  if (file == "-") return "standard-input";
  file = without_dot(file);
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    if (is_unreserved(c) || c == '/') {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kHex[byte >> 4U];
    uri += kHex[byte & 0xFU];
  }
  return uri;
}

std::string file_of(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  constexpr std::string_view kThisMachine = "localhost/";
  if (!uri.starts_with(kScheme)) return {};
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with(kThisMachine)) uri.remove_prefix(kThisMachine.size() - 1);
  if (!uri.starts_with('/')) return {};
  std::string file;
  while (!uri.empty()) {
    unsigned char byte = 0;
    const char* const hex = uri.data() + 1;
    const bool is_encoded = uri.front() == '%' && uri.size() > 2 &&
                            std::from_chars(hex, hex + 2, byte, 16).ptr == hex + 2;
    file += is_encoded ? static_cast<char>(byte) : uri.front();
    uri.remove_prefix(is_encoded ? 3 : 1);
  }
  return file.find('\0') == std::string::npos ? file : std::string{};
}

}  // namespace dynamo::cli

#include "kube/config/credentials_files.hpp"

#include <utility>

#include "runtime/read_file.hpp"
#include "text/printable.hpp"

namespace dynamo::kube {
namespace {

std::string named(const std::string& path, std::string_view field) {
  return field.empty() ? path : std::string(field) + ": " + path;
}

}  // namespace

Error config_error(std::string_view field, std::string_view what) {
  Error error;
  error.failure = FailureKind::kConfig;
  text::append_printable(error.text, std::string(field) + ": " + std::string(what));
  return error;
}

Result<std::optional<std::string>> read_file_if_any(const std::string& path, std::size_t max_bytes,
                                                    std::string_view field) {
  runtime::ReadFile file = runtime::read_file(path, max_bytes);
  if (!file.problem.empty()) return config_error(named(path, field), file.problem);
  return std::move(file.content);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes,
                              std::string_view field) {
  auto content = read_file_if_any(path, max_bytes, field);
  if (!content) return content.error();
  if (!*content) return config_error(named(path, field), "must exist");
  return std::move(**content);
}

Result<std::string> read_pem(const PemSource& source) {
  if (!source.data.empty() || source.file.empty()) return source.data;
  return read_file(source.file, kMaxCredentialBytes, "");
}

}  // namespace dynamo::kube

#include "certs/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/read_file.hpp"

namespace dynamo::certs {
namespace {

Error system_failure(const char* what, const std::string& path) {
  const int code = errno;
  return Error{path + ": " + what + ": " + std::generic_category().message(code)};
}

bool write_all(int descriptor, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = ::write(descriptor, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Result<std::optional<std::string>> read_file(const std::string& path, std::size_t max_bytes) {
  runtime::ReadFile file = runtime::read_file(path, max_bytes);
  if (!file.problem.empty()) return Error{path + ": " + file.problem};
  return std::move(file.content);
}

Result<void> write_file_atomically(const std::string& directory, const std::string& name,
                                   const std::string& content) {
  const std::string path = join_path(directory, name);
  std::string temporary = join_path(directory, "." + name + ".XXXXXX");
  const runtime::FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return system_failure("cannot be written", path);
  constexpr mode_t kReadableByAll = 0644;
  if (!write_all(file.get(), content) || ::fchmod(file.get(), kReadableByAll) != 0 ||
      ::fsync(file.get()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = system_failure("cannot be written", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

Result<void> make_writable_directory(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  // Some implementations do not report an error if the path exists and is not a directory.
  if (!problem && !std::filesystem::is_directory(path, problem) && !problem) {
    problem = std::make_error_code(std::errc::not_a_directory);
  }
  if (problem) return Error{path + ": must be a directory; cannot be made: " + problem.message()};
  if (::access(path.c_str(), W_OK | X_OK) != 0) return system_failure("must be writable", path);
  return {};
}

std::string join_path(const std::string& directory, const std::string& name) {
  if (!directory.empty() && directory.back() == '/') return directory + name;
  return directory + "/" + name;
}

}  // namespace dynamo::certs

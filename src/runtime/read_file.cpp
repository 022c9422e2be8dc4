#include "runtime/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace dynamo::runtime {
namespace {

ReadFile failed(std::string what) {
  what += ": ";
  what += std::generic_category().message(errno);
  return {std::nullopt, std::move(what)};
}

// O_NONBLOCK: opening a named pipe without a writer would block otherwise.
constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

ReadFile unopened() {
  if (errno == ENOENT || errno == ENOTDIR) return {};
  return failed("cannot be opened");
}

// The content of an open file.
ReadFile read_content(const FileDescriptor& file, std::size_t max_bytes) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return failed("cannot be read");
  if (!S_ISREG(status.st_mode)) return {std::nullopt, "must be a regular file"};

  // One byte more than the size and the limit detects a file that grew or is too large.
  const auto expected = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  std::string content(std::min(expected, max_bytes) + 1, '\0');
  std::size_t size = 0;
  while (size <= max_bytes) {
    if (size == content.size()) content.resize(std::min(2 * size, max_bytes + 1));
    const ssize_t count = ::read(file.get(), content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot be read");
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > max_bytes) {
    return {std::nullopt, "must have at most " + std::to_string(max_bytes) + " bytes"};
  }
  content.resize(size);
  return {std::move(content), {}};
}

// The path of an open file, without links; nullopt if the kernel does not show it.
std::optional<std::string> path_of(const FileDescriptor& file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file.get());
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size()) return std::nullopt;
  path.resize(static_cast<std::size_t>(size));
  return path;
}

}  // namespace

ReadFile read_file(const std::string& path, std::size_t max_bytes) {
  const FileDescriptor file(::open(path.c_str(), kReading));
  if (!file) return unopened();
  return read_content(file, max_bytes);
}

ReadFile read_file_beneath(const std::string& directory, const std::string& name,
                           std::size_t max_bytes) {
  const FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return failed("cannot be read, because its directory cannot be opened");
  const FileDescriptor file(::openat(folder.get(), name.c_str(), kReading));
  if (!file) return unopened();
  std::optional<std::string> root = path_of(folder);
  const std::optional<std::string> path = path_of(file);
  if (!root || !path) return failed("cannot be located");
  if (!root->ends_with('/')) *root += '/';
  if (!path->starts_with(*root)) {
    return {std::nullopt, "must not be a link to a file outside of " + directory};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      std::cmp_greater(status.st_size, max_bytes)) {
    return {std::nullopt, "must have at most " + std::to_string(max_bytes) + " bytes; found " +
                              std::to_string(status.st_size)};
  }
  return read_content(file, max_bytes);
}

}  // namespace dynamo::runtime

#include "runtime/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

}  // namespace

ReadFile read_file(const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a named pipe without a writer would block otherwise.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return failed("cannot be opened");
  }
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

}  // namespace dynamo::runtime

#include "kube/credentials_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace dynamo::kube {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

std::string named(const std::string& path, std::string_view field) {
  return field.empty() ? path : std::string(field) + ": " + path;
}

Error system_failure(const std::string& name) {
  return config_error(name, "cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

Error config_error(std::string_view field, std::string_view what) {
  Error error;
  error.failure = Failure::kConfig;
  error.text = std::string(field) + ": " + std::string(what);
  return error;
}

Result<std::optional<std::string>> read_file_if_any(const std::string& path, std::size_t max_bytes,
                                                    std::string_view field) {
  const std::string name = named(path, field);
  // O_NONBLOCK: opening a named pipe without a writer would wait otherwise.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return system_failure(name);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_failure(name);
  if (!S_ISREG(status.st_mode)) return config_error(name, "must be a regular file");

  // One byte more than the file has, and than is allowed, shows one that grew or is too large.
  const auto expected = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  std::string content(std::min(expected, max_bytes) + 1, '\0');
  std::size_t size = 0;
  while (size <= max_bytes) {
    if (size == content.size()) content.resize(std::min(2 * size, max_bytes + 1));
    const ssize_t count = ::read(file.get(), content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure(name);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > max_bytes) {
    return config_error(name, "must have at most " + std::to_string(max_bytes) + " bytes");
  }
  content.resize(size);
  return std::optional<std::string>(std::move(content));
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes,
                              std::string_view field) {
  auto content = read_file_if_any(path, max_bytes, field);
  if (!content) return content.error();
  if (!*content) return config_error(named(path, field), "must exist");
  return std::move(**content);
}

}  // namespace dynamo::kube

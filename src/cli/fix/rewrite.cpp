#include "cli/fix/rewrite.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "cli/report/output_file.hpp"
#include "json/yaml_dialect.hpp"
#include "runtime/file_descriptor.hpp"

namespace dynamo::cli {
namespace {

std::string error_text(int error) {
  return std::generic_category().message(error);
}

std::int64_t nanoseconds(const struct timespec& time) {
  constexpr std::int64_t kInASecond = 1'000'000'000;
  return std::int64_t{time.tv_sec} * kInASecond + time.tv_nsec;
}

FileState state_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_ctim),
          nanoseconds(status.st_mtim)};
}

// Removes a file unless it has been renamed.
class Temporary {
 public:
  explicit Temporary(std::string name) : name_(std::move(name)) {}
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& name() const { return name_; }
  void moved() { name_.clear(); }

 private:
  std::string name_;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::variant<FileToRewrite, ReadFault> read_to_rewrite(const std::string& name,
                                                       std::size_t most_bytes) {
  struct stat before {};
  if (::lstat(name.c_str(), &before) != 0) {
    return ReadFault{"it cannot be read: " + error_text(errno)};
  }
  if (S_ISLNK(before.st_mode)) {
    return ReadFault{"it is a symbolic link; name the file that it leads to"};
  }
  if (!S_ISREG(before.st_mode)) return ReadFault{"it is no regular file"};
  if (before.st_nlink > 1) return ReadFault{"it has other names too (hard links)"};
  auto text = read_whole_file(name, most_bytes);
  if (auto* const fault = std::get_if<ReadFault>(&text)) return std::move(*fault);
  std::string normalised = std::get<std::string>(text);
  json::normalise_yaml(normalised);
  if (std::ranges::count(normalised, '\n') !=
      std::ranges::count(std::get<std::string>(text), '\n')) {
    return ReadFault{"its lines end in carriage returns alone, or in U+0085; write line feeds"};
  }
  return FileToRewrite{std::get<std::string>(std::move(text)), state_of(before)};
}

std::optional<std::string> replace_file(const std::string& name, const FileToRewrite& was,
                                        std::string_view text) {
  std::string temporary_name = temporary_file_template(name);
  runtime::FileDescriptor file(::mkostemp(temporary_name.data(), O_CLOEXEC));
  if (!file) return "its folder cannot be written: " + error_text(errno);
  Temporary temporary(std::move(temporary_name));
  struct stat now {};
  if (::lstat(name.c_str(), &now) != 0 || state_of(now) != was.state) {
    return "it has changed since it was read; run this again";
  }
  // rename() only checks the folder's permissions.
  constexpr mode_t kAnyWrite = 0222;
  if ((now.st_mode & kAnyWrite) == 0) return "it is read-only";
  struct stat created {};
  if (::fstat(file.get(), &created) != 0) return "it cannot be written: " + error_text(errno);
  const bool is_owners = created.st_uid == now.st_uid && created.st_gid == now.st_gid;
  if (!is_owners && ::fchown(file.get(), now.st_uid, now.st_gid) != 0) {
    return "it belongs to another account, and a rewrite would change its owner";
  }
  constexpr mode_t kPermissions = 07777;
  if (::fchmod(file.get(), now.st_mode & kPermissions) != 0 || !write_all(file.get(), text) ||
      ::fsync(file.get()) != 0) {
    return "it cannot be written: " + error_text(errno);
  }
  // As late as possible.
  if (::lstat(name.c_str(), &now) != 0 || state_of(now) != was.state) {
    return "it has changed since it was read; run this again";
  }
  if (::rename(temporary.name().c_str(), name.c_str()) != 0) {
    return "it cannot be written: " + error_text(errno);
  }
  temporary.moved();
  return std::nullopt;
}

}  // namespace dynamo::cli

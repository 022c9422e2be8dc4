#include "cli/report/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/report/wording.hpp"
#include "runtime/file_descriptor.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

std::string error_text(int error) {
  return std::generic_category().message(error);
}

// Links through which the system names a process's open files.
bool is_own_stream(std::string_view name) {
  return name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") ||
         name.starts_with("/proc/self/fd/");
}

// Written directly: a device or a pipe has no content that a rename would protect. A link is not a
// stream.
bool is_stream(const std::string& name) {
  if (is_own_stream(name)) return true;
  struct stat found {};
  return ::lstat(name.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode) &&
         !S_ISLNK(found.st_mode);
}

std::string refusal_of_link(const fs::path& link) {
  std::error_code error;
  std::string reason = "its path must not lead through a link; found ";
  append_printable(reason, link.string());
  reason += " -> ";
  append_printable(reason, fs::read_symlink(link, error).string());
  return reason + "; name the file itself";
}

// The mode of a new file, by the process's umask; umask() can only be read by setting it.
mode_t permissions_of(const std::string& name) {
  constexpr mode_t kPermissions = 07777;
  constexpr mode_t kNewFile = 0666;
  struct stat before {};
  if (::stat(name.c_str(), &before) == 0) return before.st_mode & kPermissions;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kNewFile & ~mask;
}

}  // namespace

std::string temporary_file_template(const std::string& name) {
  const fs::path path(name);
  return (path.parent_path() / ("." + path.filename().string() + ".XXXXXX")).string();
}

std::optional<std::string> why_not_written(const std::string& name) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path file = fs::absolute(name, error).lexically_normal();
  if (fs::is_symlink(file, error)) return refusal_of_link(file);
  bool is_checked = false;  // the rest of the path may come from a tree
  fs::path path = file.root_path();
  for (const fs::path& part : file.relative_path()) {
    is_checked = is_checked || path == here || fs::exists(path / ".git", error);
    path /= part;
    if (is_checked && fs::is_symlink(path, error)) return refusal_of_link(path);
  }
  return std::nullopt;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, {})),
      stream_(std::move(other.stream_)) {}

std::optional<std::string> OutputFile::open() {
  std::string written = name_;
  if (!is_stream(name_)) {
    if (auto reason = why_not_written(name_)) return reason;
    std::error_code error;
    if (fs::is_directory(name_, error)) return error_text(EISDIR);
    written = temporary_file_template(name_);
    const runtime::FileDescriptor file(::mkostemp(written.data(), O_CLOEXEC));
    if (!file) return error_text(errno);
    temporary_ = written;
    if (::fchmod(file.get(), permissions_of(name_)) != 0) return error_text(errno);
  }
  stream_ = std::make_unique<std::ofstream>(written, std::ios::binary);
  if (!*stream_) return error_text(errno);
  return std::nullopt;
}

std::optional<std::string> OutputFile::close() {
  stream_->close();
  if (!*stream_) return error_text(errno);
  if (temporary_.empty()) return std::nullopt;
  if (::rename(temporary_.c_str(), name_.c_str()) != 0) return error_text(errno);
  temporary_.clear();
  return std::nullopt;
}

}  // namespace dynamo::cli

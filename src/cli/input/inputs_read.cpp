#include "cli/input/inputs_read.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <istream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/input/inputs.hpp"
#include "runtime/file_descriptor.hpp"

namespace dynamo::cli {
namespace {

std::string error_text(int error) {
  return std::generic_category().message(error);
}

ReadFault too_long(std::string_view found) {
  return {"the input is longer than " + std::to_string(kLongestInput) + " bytes" +
          std::string(found) + "; split it"};
}

class File final : public ByteSource {
 public:
  explicit File(runtime::FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return ReadFault{"the file cannot be read: " + error_text(errno)};
      total_ += static_cast<std::size_t>(count);
      if (total_ > kLongestInput) return too_long("");
      return static_cast<std::size_t>(count);
    }
  }

 private:
  runtime::FileDescriptor descriptor_;
  std::size_t total_ = 0;
};

class Stream final : public ByteSource {
 public:
  explicit Stream(std::istream& stream) : stream_(stream) {}

  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) override {
    if (!stream_.good()) return std::size_t{0};
    stream_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (stream_.bad()) return ReadFault{"standard input cannot be read"};
    const auto count = static_cast<std::size_t>(stream_.gcount());
    total_ += count;
    if (total_ > kLongestInput) return too_long("");
    return count;
  }

 private:
  std::istream& stream_;
  std::size_t total_ = 0;
};

class Text final : public ByteSource {
 public:
  explicit Text(std::string_view text) : rest_(text) {}

  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) override {
    const std::size_t count = std::min(bytes.size(), rest_.size());
    std::ranges::copy(rest_.substr(0, count), bytes.begin());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

// An anonymous pipe, as a shell creates it for `<(…)`. A named pipe may never end.
bool is_shell_pipe(std::string_view name) {
  return name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/") || name == "/dev/stdin";
}

std::optional<ReadFault> refuse(const std::string& name, const struct stat& status) {
  if (S_ISREG(status.st_mode)) {
    if (status.st_size <= static_cast<off_t>(kLongestInput)) return std::nullopt;
    return too_long(": " + std::to_string(status.st_size));
  }
  if (S_ISFIFO(status.st_mode) && is_shell_pipe(name)) return std::nullopt;
  std::string_view what = "a special file";
  if (S_ISFIFO(status.st_mode)) what = "a named pipe";
  if (S_ISSOCK(status.st_mode)) what = "a socket";
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) what = "a device";
  if (S_ISDIR(status.st_mode)) what = "a directory";
  return ReadFault{"only regular files are read; this is " + std::string(what) +
                   (S_ISDIR(status.st_mode) ? "" : "; use -f - to read from a pipe")};
}

}  // namespace

std::variant<std::unique_ptr<ByteSource>, ReadFault> open_input(const std::string& name,
                                                                std::istream& standard_input) {
  if (name == kStandardInput) return std::make_unique<Stream>(standard_input);
  // Non-blocking, because opening a named pipe would wait for a writer.
  runtime::FileDescriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    const int error = errno;
    return ReadFault{"the file cannot be opened: " + error_text(error)};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return ReadFault{"the file cannot be read: " + error_text(errno)};
  }
  if (auto fault = refuse(name, status)) return *std::move(fault);
  if (S_ISFIFO(status.st_mode)) ::fcntl(file.get(), F_SETFL, 0);
  return std::make_unique<File>(std::move(file));
}

std::variant<std::string, ReadFault> read_whole_file(const std::string& name,
                                                     std::size_t most_bytes) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  std::istringstream nothing;
  auto opened = open_input(name, nothing);
  if (auto* const fault = std::get_if<ReadFault>(&opened)) return std::move(*fault);
  ByteSource& source = *std::get<std::unique_ptr<ByteSource>>(opened);
  std::string text;
  while (text.size() <= most_bytes) {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    auto read = source.read(std::span(text).subspan(size));
    if (auto* const fault = std::get_if<ReadFault>(&read)) return std::move(*fault);
    const std::size_t count = std::get<std::size_t>(read);
    text.resize(size + count);
    if (count == 0) return text;
  }
  return ReadFault{"must hold at most " + std::to_string(most_bytes) + " bytes"};
}

std::unique_ptr<ByteSource> text_source(std::string_view text) {
  return std::make_unique<Text>(text);
}

}  // namespace dynamo::cli

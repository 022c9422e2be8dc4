// Files that are read to be written again, without ever losing what is in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/input/inputs_read.hpp"

namespace dynamo::cli {

// What a file was when it was read.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;   // when its inode was changed last
  std::int64_t modified_ns = 0;  // the same of its bytes
  bool operator==(const FileState&) const = default;
};

struct FileToRewrite {
  std::string text;
  FileState state;
};

// Reads a file that may be written: a regular one with one name, and no symbolic link.
std::variant<FileToRewrite, ReadFault> read_to_rewrite(const std::string& name,
                                                       std::size_t most_bytes);

// Puts the text in place of the file at once, with its mode: whoever reads it sees the old bytes or
// the new ones. Answers why it was left as it is: the file is another one than was read, it has
// changed since, or the folder cannot be written. One line.
std::optional<std::string> replace_file(const std::string& name, const FileToRewrite& was,
                                        std::string_view text);

}  // namespace dynamo::cli

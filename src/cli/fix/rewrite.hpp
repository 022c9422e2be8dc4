// Reads and replaces files without ever losing their content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/input/inputs_read.hpp"

namespace dynamo::cli {

// Identity and state of a file when it was read.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;   // last change of the inode
  std::int64_t modified_ns = 0;  // last change of the content
  bool operator==(const FileState&) const = default;
};

struct FileToRewrite {
  std::string text;
  FileState state;
};

// Reads a file that may be replaced: a regular file with one link, not a symbolic link.
std::variant<FileToRewrite, ReadFault> read_to_rewrite(const std::string& name,
                                                       std::size_t most_bytes);

// Replaces the file atomically and keeps its mode: readers see the old bytes or the new ones.
// Returns one line if the file was not replaced: it is a different file than the one read, it has
// changed since, or the folder is not writable.
std::optional<std::string> replace_file(const std::string& name, const FileToRewrite& was,
                                        std::string_view text);

}  // namespace dynamo::cli

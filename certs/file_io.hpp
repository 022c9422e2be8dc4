// Bounded reading and atomic writing of the small files that hold certificates.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "certs/error.hpp"

namespace dynamo::certs {

// The whole file; nullopt when there is none. An error when it cannot be read, is not a regular
// file or is larger than `max_bytes`. Never waits: a named pipe is refused, not read.
Result<std::optional<std::string>> read_file(const std::string& path, std::size_t max_bytes);

// Replaces `directory/name` by a file readable by all, so that a reader sees the old or the new
// content and nothing between. The directory must exist.
Result<void> write_file_atomically(const std::string& directory, const std::string& name,
                                   const std::string& content);

// Makes the directory, and those above it, where there is none. An error, one line, when there is
// none afterwards or nothing can be written into it.
Result<void> make_writable_directory(const std::string& path);

// "directory/name" with one slash between.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace dynamo::certs

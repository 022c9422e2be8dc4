// Bounded reading and atomic writing of small certificate files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "certs/error.hpp"

namespace dynamo::certs {

// The whole file; nullopt if it does not exist. An error if it cannot be read, is not a regular
// file or is larger than `max_bytes`. Never blocks: a named pipe is refused, not read.
Result<std::optional<std::string>> read_file(const std::string& path, std::size_t max_bytes);

// Replaces `directory/name` by a world-readable file, so that a reader sees either the old or the
// new content. The directory must exist.
Result<void> write_file_atomically(const std::string& directory, const std::string& name,
                                   const std::string& content);

// Creates the directory and its parents if needed. Returns an error of one line if the directory
// does not exist afterwards or is not writable.
Result<void> make_writable_directory(const std::string& path);

// "directory/name" with exactly one slash.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace dynamo::certs

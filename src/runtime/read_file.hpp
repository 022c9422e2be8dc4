// Reads small files that may change while we run: certificates, tokens, policies.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dynamo::runtime {

struct ReadFile {
  std::optional<std::string> content;  // nullopt: there is no such file, or a problem
  std::string problem;                 // "cannot be read: Is a directory"; without the name
};

// The whole file. Returns a problem if it cannot be read, is not a regular file or is larger than
// `max_bytes`. Never blocks: a named pipe is refused, not read. Any thread.
ReadFile read_file(const std::string& path, std::size_t max_bytes);

// The same for a file of a directory to which other programs write. Returns a problem if a symbolic
// link leads out of the directory: the file that is read is checked, not its path. Needs /proc.
ReadFile read_file_beneath(const std::string& directory, const std::string& name,
                           std::size_t max_bytes);

}  // namespace dynamo::runtime

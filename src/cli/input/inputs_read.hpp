// Reads the bytes of an input in pieces, within a limit.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace dynamo::cli {

// Longer inputs are refused; a file before its first byte is read.
inline constexpr std::size_t kLongestInput = std::size_t{128} << 20U;

// Why an input cannot be read, or not any further: one line, without the input's name.
struct ReadFault {
  std::string reason;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the front of `bytes`, which is not empty; returns the number of bytes, 0 at the end.
  // Blocks only for a pipe. Must not be called again after a fault.
  virtual std::variant<std::size_t, ReadFault> read(std::span<char> bytes) = 0;
};

// Opens a file, or uses `standard_input`, which must outlive the source, for "-". Only opens files
// that end: regular files, and the pipes that a shell creates for `<(…)`.
std::variant<std::unique_ptr<ByteSource>, ReadFault> open_input(const std::string& name,
                                                                std::istream& standard_input);

// The whole content of a file with at most `most_bytes`.
std::variant<std::string, ReadFault> read_whole_file(const std::string& name,
                                                     std::size_t most_bytes);

// A source that reads from text in memory, which must outlive it.
std::unique_ptr<ByteSource> text_source(std::string_view text);

}  // namespace dynamo::cli

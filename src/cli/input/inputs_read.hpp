// The bytes of an input, piece by piece, within a limit.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace dynamo::cli {

// Longer inputs are refused: a file before its first byte is read.
inline constexpr std::size_t kLongestInput = std::size_t{128} << 20U;

// Why an input cannot be read (on): one line, without the input's name.
struct ReadFault {
  std::string reason;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the front of `bytes`, which is not empty; answers how many came, 0 at the end. Blocks
  // only where a pipe does. Not to be called again after a fault.
  virtual std::variant<std::size_t, ReadFault> read(std::span<char> bytes) = 0;
};

// Opens a file, or takes `standard_input`, which must outlive the source, for "-". Only what ends
// is opened: regular files, and the pipes that a shell makes for `<(…)`.
std::variant<std::unique_ptr<ByteSource>, ReadFault> open_input(const std::string& name,
                                                                std::istream& standard_input);

// The whole of a file that holds at most so many bytes.
std::variant<std::string, ReadFault> read_whole_file(const std::string& name,
                                                     std::size_t most_bytes);

// A source over text in memory, which must outlive it.
std::unique_ptr<ByteSource> text_source(std::string_view text);

}  // namespace dynamo::cli

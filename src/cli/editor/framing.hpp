// Messages of the language server protocol on a stream: headers, an empty line, a body.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>

namespace dynamo::cli {

inline constexpr std::size_t kLongestMessage = std::size_t{16} << 20U;

// A fault after which reading cannot continue: the start of the next message is unknown. One line.
struct FramingFault {
  std::string reason;
};
struct EndOfMessages {};

// The body of the next message. A longer message is skipped and returned as an empty body. Blocks
// while the stream does.
std::variant<std::string, EndOfMessages, FramingFault> read_message(std::istream& in);

// Writes and flushes.
void write_message(std::ostream& out, std::string_view body);

}  // namespace dynamo::cli

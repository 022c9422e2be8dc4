#include "cli/editor/framing.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <optional>
#include <ostream>

namespace dynamo::cli {
namespace {

constexpr std::size_t kLongestLine = 1024;
constexpr std::size_t kMaxLines = 32;

enum class LineEnd : unsigned char { kFeed, kEndOfStream, kTooLong };

LineEnd read_line(std::istream& in, std::string& line) {
  line.clear();
  for (char c = '\0'; in.get(c);) {
    if (c == '\n') {
      if (line.ends_with('\r')) line.pop_back();
      return LineEnd::kFeed;
    }
    if (line.size() == kLongestLine) return LineEnd::kTooLong;
    line += c;
  }
  return LineEnd::kEndOfStream;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Header names are case-insensitive.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon != name.size()) return std::nullopt;
  if (!std::equal(name.begin(), name.end(), line.begin(),
                  [](char left, char right) { return left == lower(right); })) {
    return std::nullopt;
  }
  line.remove_prefix(colon + 1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || text.empty()) return std::nullopt;
  return number;
}

std::variant<std::size_t, EndOfMessages, FramingFault> read_length(std::istream& in) {
  std::optional<std::size_t> length;
  std::string line;
  for (std::size_t lines = 0; lines < kMaxLines; ++lines) {
    const LineEnd end = read_line(in, line);
    if (end == LineEnd::kTooLong) return FramingFault{"a header must have at most 1024 bytes"};
    if (end == LineEnd::kEndOfStream) {
      if (lines == 0 && line.empty()) return EndOfMessages{};
      return FramingFault{"the input ends inside of a header"};
    }
    if (line.empty()) {
      if (!length) return FramingFault{"a message must have a header Content-Length"};
      return *length;
    }
    if (const auto value = value_of(line, "content-length")) {
      length = number_in(*value);
      if (!length) return FramingFault{"Content-Length must be a number"};
    }
  }
  return FramingFault{"a message must have at most 32 headers"};
}

}  // namespace

std::variant<std::string, EndOfMessages, FramingFault> read_message(std::istream& in) {
  const auto read = read_length(in);
  if (const auto* const fault = std::get_if<FramingFault>(&read)) return *fault;
  const auto* const length = std::get_if<std::size_t>(&read);
  if (length == nullptr) return EndOfMessages{};
  constexpr std::size_t kMaxPassedOver = std::size_t{1} << 30U;
  if (*length > kMaxPassedOver) return FramingFault{"a message must have at most 1 GiB"};
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  const bool is_kept = *length <= kLongestMessage;
  std::string body;
  std::string piece;
  // Memory grows with the received bytes, not with the announced length.
  for (std::size_t left = *length; left > 0;) {
    piece.resize(std::min(left, kPiece));
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (in.gcount() != static_cast<std::streamsize>(piece.size())) {
      return FramingFault{"the input ends inside of a message"};
    }
    left -= piece.size();
    if (is_kept) body += piece;
  }
  return body;
}

void write_message(std::ostream& out, std::string_view body) {
  out << "Content-Length: " << body.size() << "\r\n\r\n" << body << std::flush;
}

}  // namespace dynamo::cli

#include "cli/editor/positions.hpp"

#include <algorithm>

namespace dynamo::cli {
namespace {

// Bytes and UTF-16 units of the character that begins with this byte; an invalid byte counts as one
// character.
struct Width {
  std::size_t bytes;
  std::uint32_t units;
};

Width width_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0U) return {4, 2};
  if (byte >= 0xE0U) return {3, 1};
  if (byte >= 0xC0U) return {2, 1};
  return {1, 1};
}

}  // namespace

Positions::Positions(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t feed = text.find('\n'); feed != std::string_view::npos;
       feed = text.find('\n', feed + 1)) {
    starts_.push_back(feed + 1);
  }
}

Position Positions::at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto behind = std::ranges::upper_bound(starts_, offset);
  Position position;
  position.line = static_cast<std::uint32_t>(behind - starts_.begin()) - 1;
  for (std::size_t at = *(behind - 1); at < offset;) {
    const Width width = width_of(text_[at]);
    position.column += width.units;
    at += width.bytes;
  }
  return position;
}

std::size_t Positions::offset_of(Position position) const {
  if (position.line >= starts_.size()) return text_.size();
  const std::size_t start = starts_[position.line];
  const std::string_view text = line(position.line);
  std::size_t at = 0;
  for (std::uint32_t column = 0; column < position.column && at < text.size();) {
    const Width width = width_of(text[at]);
    column += width.units;
    at += width.bytes;
  }
  return start + std::min(at, text.size());
}

std::string_view Positions::line(std::uint32_t number) const {
  if (number >= starts_.size()) return {};
  const std::size_t start = starts_[number];
  std::string_view line = text_.substr(start, text_.find('\n', start) - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace dynamo::cli

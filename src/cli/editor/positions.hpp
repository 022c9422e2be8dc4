// Positions as editors count them: lines from 0, columns from 0 in UTF-16 code units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dynamo::cli {

struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  auto operator<=>(const Position&) const = default;
};

struct Range {
  Position start;
  Position end;
  bool operator==(const Range&) const = default;
};

// Converts positions of one text, which must outlive it.
class Positions {
 public:
  explicit Positions(std::string_view text);

  // The position of a byte of the text; offsets past the end give the position of the end.
  Position at(std::size_t offset) const;
  Range range(std::size_t offset, std::size_t length) const {
    return {at(offset), at(offset + length)};
  }
  // The byte at a position; columns past the end of the line give the line's end.
  std::size_t offset_of(Position position) const;
  // The bytes of a line, without its line break; empty if the line does not exist.
  std::string_view line(std::uint32_t number) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace dynamo::cli

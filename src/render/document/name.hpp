// A name composed of pieces. Its length and characters can be read without building it.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/document/arena.hpp"

namespace dynamo::render {

// Converts A-Z to lower case; other characters are unchanged.
constexpr char to_lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Stores views, not copies, of up to six pieces.
class Name {
 public:
  // The constructors and with() append pieces; lowered() appends one in lower case.
  constexpr Name() = default;
  constexpr explicit Name(std::string_view piece) { add(piece, Form::kWritten); }
  constexpr Name(std::string_view first, std::string_view second, std::string_view third) {
    add(first, Form::kWritten);
    add(second, Form::kWritten);
    add(third, Form::kWritten);
  }
  constexpr Name with(std::string_view piece) const { return copy_with(piece, Form::kWritten); }
  constexpr Name lowered(std::string_view piece) const { return copy_with(piece, Form::kLower); }
  // Appends a piece with '-' in place of each dot.
  constexpr Name hyphenated(std::string_view piece) const {
    return copy_with(piece, Form::kHyphens);
  }
  // Appends a number, which must not be negative.
  Name numbered(std::int64_t number) const;

  constexpr std::size_t size() const {
    std::size_t bytes = digits_count_;
    for (std::size_t i = 0; i < count_; ++i) bytes += pieces_[i].text.size();
    return bytes;
  }
  constexpr bool empty() const { return size() == 0; }

  std::string str() const;
  std::string_view in(Arena& arena) const;

  friend bool operator==(const Name& left, const Name& right);
  friend bool operator==(const Name& left, std::string_view right) { return left == Name(right); }

 private:
  enum class Form : std::uint8_t { kWritten, kLower, kHyphens };
  struct Piece {
    std::string_view text = {};
    Form form = Form::kWritten;

    constexpr char shown(char letter) const {
      if (form == Form::kLower) return to_lower(letter);
      return form == Form::kHyphens && letter == '.' ? '-' : letter;
    }
  };
  static constexpr std::size_t kMaxPieces = 6;

  constexpr void add(std::string_view piece, Form form) {
    assert(count_ < kMaxPieces);
    pieces_[count_++] = {piece, form};
  }
  constexpr Name copy_with(std::string_view piece, Form form) const {
    Name copy = *this;
    copy.add(piece, form);
    return copy;
  }
  void write_to(char* out) const;

  std::array<Piece, kMaxPieces> pieces_{};
  std::array<char, 20> digits_{};  // from numbered(); always the last piece
  std::uint8_t count_ = 0;
  std::uint8_t digits_count_ = 0;
};

}  // namespace dynamo::render

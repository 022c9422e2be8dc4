#include "render/document/name.hpp"

#include <algorithm>
#include <charconv>
#include <span>

namespace dynamo::render {
namespace {

// Reads a name byte by byte.
template <typename Pieces>
class Cursor {
 public:
  explicit Cursor(const Pieces& pieces) : pieces_(pieces) {}
  char next() {
    while (at_ == pieces_[piece_].text.size()) {
      ++piece_;
      at_ = 0;
    }
    const auto& piece = pieces_[piece_];
    return piece.shown(piece.text[at_++]);
  }

 private:
  const Pieces& pieces_;
  std::size_t piece_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

Name Name::numbered(std::int64_t number) const {
  Name copy = *this;
  const auto written =
      std::to_chars(copy.digits_.data(), copy.digits_.data() + copy.digits_.size(), number);
  copy.digits_count_ = static_cast<std::uint8_t>(written.ptr - copy.digits_.data());
  return copy;
}

void Name::write_to(char* out) const {
  for (const Piece& piece : std::span(pieces_).first(count_)) {
    const auto shown = [&piece](char letter) { return piece.shown(letter); };
    out = piece.form == Form::kWritten
              ? std::copy(piece.text.begin(), piece.text.end(), out)
              : std::transform(piece.text.begin(), piece.text.end(), out, shown);
  }
  std::copy_n(digits_.begin(), digits_count_, out);
}

std::string Name::str() const {
  std::string text(size(), '\0');
  write_to(text.data());
  return text;
}

std::string_view Name::in(Arena& arena) const {
  const bool is_one_text = count_ == 1 && digits_count_ == 0 && pieces_[0].form == Form::kWritten;
  if (is_one_text) return pieces_[0].text;
  const std::span<char> text = arena.make_text(size());
  write_to(text.data());
  return {text.data(), text.size()};
}

bool operator==(const Name& left, const Name& right) {
  const std::size_t size = left.size();
  if (size != right.size()) return false;
  const std::size_t letters = size - left.digits_count_;
  if (left.digits_count_ == right.digits_count_) {
    Cursor left_at(left.pieces_);
    Cursor right_at(right.pieces_);
    for (std::size_t i = 0; i < letters; ++i) {
      if (left_at.next() != right_at.next()) return false;
    }
    return std::equal(left.digits_.begin(), left.digits_.begin() + left.digits_count_,
                      right.digits_.begin());
  }
  return left.str() == right.str();
}

}  // namespace dynamo::render

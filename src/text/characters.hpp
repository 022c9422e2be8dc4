// Sets of characters that are asked for in one look at a table: names, images and words are read
// letter by letter for each review.
#pragma once

#include <array>
#include <string_view>

namespace dynamo::text {

class Characters {
 public:
  // Those for which the predicate holds.
  template <typename Predicate>
  constexpr explicit Characters(Predicate is_in) {
    for (int c = 0; c < 256; ++c) {
      has_[static_cast<unsigned char>(c)] = is_in(static_cast<char>(c));
    }
  }

  constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }
  constexpr bool has_all(std::string_view text) const {
    for (const char c : text) {
      if (!has(c)) return false;
    }
    return true;
  }

 private:
  std::array<bool, 256> has_{};
};

}  // namespace dynamo::text

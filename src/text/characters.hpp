// Character sets as lookup tables: names, images and words are scanned byte by byte in every
// review.
#pragma once

#include <array>
#include <string_view>

namespace dynamo::text {

class Characters {
 public:
  // The bytes for which the predicate is true.
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

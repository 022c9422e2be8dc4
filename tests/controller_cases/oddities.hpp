// The oddities of the reference's controllers, each with what ours do and where that is shown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::cases {

enum class Decision : std::uint8_t {
  kMended,  // ours do what is right, and differ
  kKept,    // ours do what was measured, for the reason that is given
  kLater,   // of a controller that is not ours yet
};

struct Oddity {
  std::string_view id;    // "Q29"
  std::string_view fact;  // what the reference does, in few words
  Decision decision;
  std::string_view about;  // what ours do, and why
  std::string_view
      shown;  // by a test, "Suite.Name" or "test_name", or by a golden case, "case NAME"
};

// "mended", "kept" or "later".
std::string_view word_of(Decision decision);

// In the order of their numbers.
std::span<const Oddity> oddities();

inline constexpr std::size_t kOddities = 38;

// docs/oddities.md.
std::string oddities_page();

}  // namespace dynamo::cases

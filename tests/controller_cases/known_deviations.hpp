// Known deviations: quirks of the upstream operator's controllers, our decision for each, and the
// test that shows it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::cases {

enum class Decision : std::uint8_t {
  kFixed,  // we do the right thing and differ
  kKept,   // we behave like upstream, for the given reason
  kLater,  // of a controller that we do not have yet
};

struct KnownDeviation {
  std::string_view id;    // "Q29"
  std::string_view fact;  // the upstream behaviour, in a few words
  Decision decision;
  std::string_view about;  // our behaviour, and the reason
  std::string_view
      shown_by;  // by a test, "Suite.Name" or "test_name", or by a golden case, "case NAME"
};

// The decision's word in the page.
std::string_view word_of(Decision decision);

// Ordered by number.
std::span<const KnownDeviation> known_deviations();

inline constexpr std::size_t kKnownDeviationCount = 38;

// Renders the page of known deviations.
std::string known_deviations_page();

}  // namespace dynamo::cases

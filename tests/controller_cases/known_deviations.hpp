// Known deviations: quirks of the upstream operator's controllers, our decision for each, and the
// test that shows it. Then all other deliberate differences.
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

// A difference by our own decision, which is no quirk of the upstream operator.
struct OwnDecision {
  std::string_view id;        // "S4", or "E1" for events
  std::string_view fact;      // the upstream behaviour, in a few words
  std::string_view about;     // our behaviour
  std::string_view shown_by;  // as of a known deviation
};

// Ordered by number. Each row of allowed_differences() without a known deviation has one.
std::span<const OwnDecision> own_decisions();

// Renders the page of known deviations and own decisions.
std::string known_deviations_page();

}  // namespace dynamo::cases

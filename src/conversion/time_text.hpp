// Times of any year in canonical form. text/timestamp.hpp is limited to the range of its clock.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::conversion {

inline constexpr std::size_t kTimeLength = 20;

// Writes an RFC 3339 time as Go's metav1.Time does, in UTC and without a fraction, such as
// "2026-08-21T12:00:00Z". Returns nullopt if the text is not a time.
std::optional<std::string_view> canonical_time(std::string_view text, char (&out)[kTimeLength]);

}  // namespace dynamo::conversion

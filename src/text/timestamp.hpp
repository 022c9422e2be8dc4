// Kubernetes timestamps (RFC 3339, section 5.6).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// "2026-11-21T14:30:00Z", with any fraction of a second (kept to microseconds) and any offset, such
// as "2026-11-21T15:30:00.5+01:00". Returns nullopt for any other text, for a day that does not
// exist in its month and for years before 1970. A leap second (:60) counts as the next minute.
// Times after the clock's maximum, in 2262, become that maximum.
std::optional<std::chrono::system_clock::time_point> parse_timestamp(std::string_view text);

// Also accepts a date alone ("2026-11-21"), which means 00:00 UTC.
std::optional<std::chrono::system_clock::time_point> parse_day_or_timestamp(std::string_view text);

// "2026-11-21T14:30:00Z"; truncates the fraction.
std::string format_timestamp(std::chrono::system_clock::time_point time);

// A duration rounded down to one or two units: "42s", "3m", "2h5m", "3d4h".
std::string format_age(std::chrono::system_clock::duration age);

}  // namespace dynamo::text

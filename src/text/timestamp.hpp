// Times as Kubernetes writes them (RFC 3339, section 5.6).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// "2026-11-21T14:30:00Z", with any fraction of a second (kept to microseconds) and any offset, as
// "2026-11-21T15:30:00.5+01:00". Nothing for any other text, for a day that its month does not have
// and for years before 1970. A leap second (:60) counts as the next minute. What lies beyond the
// clock's last moment, in 2262, is that moment.
std::optional<std::chrono::system_clock::time_point> parse_timestamp(std::string_view text);

// The same, where a bare day ("2026-11-21") may stand for its first moment in UTC.
std::optional<std::chrono::system_clock::time_point> parse_day_or_timestamp(std::string_view text);

// "2026-11-21T14:30:00Z"; the fraction is cut.
std::string format_timestamp(std::chrono::system_clock::time_point time);

}  // namespace dynamo::text

// Times as HTTP writes them; those in the API's JSON are read by timestamp.hpp.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dynamo::text {

// "Sun, 06 Nov 1994 08:49:37 GMT", the only form that is still sent. Nothing for any other text.
std::optional<std::chrono::system_clock::time_point> parse_http_date(std::string_view text);

// Whoever names a longer time to wait is taken to have named this.
inline constexpr std::chrono::seconds kLongestRetryAfter = std::chrono::hours(24);

// The value of a Retry-After header, seconds or a date, as seconds from `now` on, at least 0 and at
// most kLongestRetryAfter. Nothing when it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view text,
                                                      std::chrono::system_clock::time_point now);

}  // namespace dynamo::text

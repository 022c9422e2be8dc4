// HTTP dates. timestamp.hpp parses the timestamps of the API's JSON.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dynamo::text {

// "Sun, 06 Nov 1994 08:49:37 GMT", the only form still in use. Returns nullopt for any other text.
std::optional<std::chrono::system_clock::time_point> parse_http_date(std::string_view text);

// Upper limit for Retry-After; longer times are reduced to it.
inline constexpr std::chrono::seconds kLongestRetryAfter = std::chrono::hours(24);

// The value of a Retry-After header, seconds or a date, as seconds from `now`: at least 0 and at
// most kLongestRetryAfter. Returns nullopt if it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view text,
                                                      std::chrono::system_clock::time_point now);

}  // namespace dynamo::text

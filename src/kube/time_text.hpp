// The two forms in which times come from outside: RFC 3339 in the API's JSON, and HTTP dates.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dynamo::kube {

// "2026-11-21T14:30:00Z", with any fraction (cut) and any offset. Nothing for any other text and
// for years outside of 1970 to 2261.
std::optional<std::chrono::system_clock::time_point> parse_rfc3339(std::string_view text);

// "Sun, 06 Nov 1994 08:49:37 GMT", the only form that is still sent. Nothing for any other text.
std::optional<std::chrono::system_clock::time_point> parse_http_date(std::string_view text);

// The value of a Retry-After header, seconds or a date, as seconds from `now` on, at least 0 and at
// most a day. Nothing when it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view text,
                                                      std::chrono::system_clock::time_point now);

}  // namespace dynamo::kube

// The ?timeout= of a request, which the API server sends, and the deadline that follows from it.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dynamo::server {

// "10s", "500ms", "1m30s", "1.5h", as Go writes durations. Nothing for any other text, for zero and
// for negative ones. Longer than a day counts as a day.
std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);

// The value of `timeout` in a query ("timeout=10s&x=y"); nothing when it is absent or nonsense.
std::optional<std::chrono::nanoseconds> timeout_in_query(std::string_view query);

// What of `timeout` we may use. The API server rounds the remaining time up to whole seconds, so
// the true deadline is up to one second earlier: the margin is one second or a tenth, whichever is
// more, but half of the timeout always stays.
std::chrono::nanoseconds usable_part(std::chrono::nanoseconds timeout);

}  // namespace dynamo::server

// The ?timeout= that the API server sends with a request, and the resulting deadline.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dynamo::server {

// "10s", "500ms", "1m30s", "1.5h": Go's format of durations. nullopt for any other text, for zero
// and for negative durations. Limited to one day.
std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);

// The value of `timeout` in a query ("timeout=10s&x=y"); nullopt if it is absent or invalid.
std::optional<std::chrono::nanoseconds> timeout_in_query(std::string_view query);

// The usable part of `timeout`. The API server rounds the remaining time up to whole seconds, so
// the true deadline is up to one second earlier. The margin is the larger of one second and a
// tenth, but at least half of the timeout remains.
std::chrono::nanoseconds usable_part(std::chrono::nanoseconds timeout);

}  // namespace dynamo::server

// Reason phrases of HTTP status codes, and a response that needs no memory.
#pragma once

#include <string_view>

namespace dynamo::text {

// "Bad Request" for 400; "Unknown" for a status that is not in the table.
std::string_view reason_phrase(unsigned status);

// The whole response to a request for which an allocation has failed.
inline constexpr std::string_view kNoMemoryResponse =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Connection: close\r\n"
    "Retry-After: 1\r\n"
    "Content-Length: 53\r\n\r\n"
    "the server has no memory for this request; ask again\n";

}  // namespace dynamo::text

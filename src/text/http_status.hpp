// Reason phrases of HTTP status codes.
#pragma once

#include <string_view>

namespace dynamo::text {

// "Bad Request" for 400; "Unknown" for a status that is not in the table.
std::string_view reason_phrase(unsigned status);

}  // namespace dynamo::text

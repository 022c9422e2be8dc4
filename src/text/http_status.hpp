// The words that HTTP has for its status codes.
#pragma once

#include <string_view>

namespace dynamo::text {

// "Bad Request" for 400; "Unknown" for a status without a name here.
std::string_view reason_phrase(unsigned status);

}  // namespace dynamo::text

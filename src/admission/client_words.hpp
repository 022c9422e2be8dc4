// Writes the details of findings in the words of the API version that the client uses.
#pragma once

#include <string>
#include <string_view>

#include "conversion/version.hpp"

namespace dynamo::admission {

// The detail of a finding in the words of `target`. It must be in those of the other version.
// Replaces the names of fields that differ, except in double quotes, which enclose what the user
// wrote. Linear in the length of the detail.
std::string in_words_of(conversion::Version target, std::string_view detail);

}  // namespace dynamo::admission

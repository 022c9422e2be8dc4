// A hash for texts that users write, with which nobody can make two of them look the same.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynamo::validators {

// SipHash-2-4 with a constant key: the same in every process, linear, no allocation. Not for
// secrets.
std::uint64_t siphash(std::string_view text);

}  // namespace dynamo::validators

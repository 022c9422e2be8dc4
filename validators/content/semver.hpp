// Versions in the operator's origin-version annotation: semantic versions, parsed leniently.
#pragma once

#include <string_view>

namespace dynamo::validators {

// Accepts `1.2.3`, a leading `v`, fewer numbers (`1`, `1.2`), leading zeros in these, a pre-release
// and build metadata. Refuses the empty text, words, four numbers, an empty pre-release or build
// part, and a numeric pre-release part with a leading zero. Each number must fit in 64 bits.
bool is_lenient_semver(std::string_view text);

}  // namespace dynamo::validators

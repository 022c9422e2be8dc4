// Turns what the operator of a server configures into the settings that rules read.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::admission {

// The version that new graphs are stamped with: `version` when it is a semantic one, else
// "0.0.0-unknown", so that a stamped object never breaks the rule about that annotation.
std::string stamped_version(std::string_view version);

}  // namespace dynamo::admission

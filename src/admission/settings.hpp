// Converts the configuration of a server to the settings that rules read.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::admission {

// The version to record on new graphs: `version` if it is a semantic one, otherwise
// "0.0.0-unknown", so that a new graph never breaks the rule about that annotation.
std::string stamped_version(std::string_view version);

}  // namespace dynamo::admission

// Detects files that a search passed over although they hold objects of ours.
#pragma once

#include <string>
#include <vector>

namespace dynamo::cli {

// The files among `names` that hold an object of our kinds, or a broken one, which needs neither
// rendering nor decryption. Each file occurs once. Opens no link out of its repository.
std::vector<std::string> files_with_objects(const std::vector<std::string>& names);

}  // namespace dynamo::cli

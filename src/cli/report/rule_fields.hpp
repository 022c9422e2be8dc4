// The fields that a rule of the catalog reads, for documentation.
#pragma once

#include <string>
#include <vector>

#include "validators/rule.hpp"

namespace dynamo::cli {

// Complete paths without abbreviations, `NAME` for any key and `i` for any index. If the rule
// serves both API versions, those of v1alpha1, then those of v1beta1; a field that one version
// lacks occurs once.
std::vector<std::string> fields_of(const validators::Rule& rule);

}  // namespace dynamo::cli

// The page of documentation about rules, made from the catalogues so that it cannot lie.
#pragma once

#include <string>

namespace dynamo::admission {

// docs/rules.md: one table row per rule and per default.
std::string rules_markdown();

}  // namespace dynamo::admission

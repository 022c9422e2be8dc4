// The page of documentation about rules, made from the catalogues so that it cannot lie.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::admission {

// docs/rules.md: one table row per rule, default and check of the schema, then one section per rule
// and per default. Allocates what
// it needs; safe from any thread.
std::string rules_markdown();

// The fragment under which the section with this heading is linked to: lower case, without dots,
// hyphens kept, as Markdown viewers make it.
std::string section_anchor(std::string_view id);

}  // namespace dynamo::admission

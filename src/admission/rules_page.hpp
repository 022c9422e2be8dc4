// The pages of documentation about rules, made from the catalogues so that it cannot lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dynamo::admission {

struct RulesPage {
  std::string file;  // below docs
  std::string text;
};

// First rules.md: one table row per rule, default and check of the schema. Then a page for each
// group of rules, rules/GROUP.md, and one for the defaults, with a section for each. Allocates what
// it needs; safe from any thread.
std::vector<RulesPage> rules_pages();

// The fields of a rule without the abbreviations of the catalogue: `E.tolerations` is
// `SERVICE.extraPodSpec.tolerations`.
std::string spelt_out(std::string_view fields);

// The fragment under which the section with this heading is linked to: lower case, without dots,
// hyphens kept, as Markdown viewers make it.
std::string section_anchor(std::string_view id);

}  // namespace dynamo::admission

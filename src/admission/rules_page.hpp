// The documentation pages about rules, generated from the catalogs so that they are always
// correct.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dynamo::admission {

struct RulesPage {
  std::string file;  // below docs
  std::string text;
};

// First rules.md: one table row per rule, default and schema check. Then one page per group of
// rules, rules/GROUP.md, and one for the defaults, with a section for each rule. Allocates; safe
// from any thread.
std::vector<RulesPage> rules_pages();

// Expands the catalog's abbreviations in the fields of a rule: `E.tolerations` is
// `SERVICE.extraPodSpec.tolerations`.
std::string spelt_out(std::string_view fields);

// The fragment that links to the section with this heading, as Markdown viewers generate it: lower
// case, without dots, hyphens kept.
std::string section_anchor(std::string_view id);

}  // namespace dynamo::admission

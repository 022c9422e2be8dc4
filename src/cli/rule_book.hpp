// Every id that a finding or a default can carry, out of all catalogues, with what there is to say
// of it: for `explain`, `rules`, SARIF and shell completion.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::cli {

enum class RuleSource : unsigned char {
  kSchema,   // the schema of the resource, which the API server checks itself
  kRule,     // a rule of the validating webhook
  kDefault,  // a default of the mutating webhook
};

struct RuleEntry {
  std::string_view id;
  RuleSource source;
  std::vector<std::string_view> kinds;
  std::vector<std::string_view> operations;  // "CREATE", "UPDATE"
  std::string_view outcome;                  // "deny", "warn", "off", "set"
  bool ratcheted;  // on an update it says nothing of what the update did not change
  std::vector<std::string> fields;  // where it looks; "any" for every field
  std::string_view summary;         // one line, no full stop
  std::string explanation;          // sentences, or empty
  std::string_view since;           // version of this program that brought it, or empty
  // Whole manifests in YAML that end with a line break, or empty: one that breaks the rule and one
  // that does not; of a default the object before and after.
  std::string_view wrong;
  std::string_view right;
};

// In the order in which they are asked: schema, rules, defaults. Made on the first call; the views
// last as long as the program. Thread-safe.
std::span<const RuleEntry> rule_book();

// The entry of that id, or null.
const RuleEntry* find_rule_entry(std::string_view id);

// "schema", "rule", "default".
std::string_view name(RuleSource source);

}  // namespace dynamo::cli

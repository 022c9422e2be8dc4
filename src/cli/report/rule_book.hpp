// Every id of a finding or a default, from all catalogs, with its texts: for `explain`, `rules`,
// SARIF and shell completion.
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
  bool ratcheted;                            // on an update, ignores violations in unchanged parts
  std::vector<std::string> fields;           // fields it checks; "any" for every field
  std::string_view summary;                  // one line, no full stop
  std::string explanation;                   // sentences; may be empty
  std::string_view since;                    // first version of this program with it; may be empty
  // Complete YAML manifests that end with a line break, or empty: one that violates the rule and
  // one that does not; for a default the object before and after.
  std::string_view wrong;
  std::string_view right;
};

// In evaluation order: schema, rules, defaults. Built on the first call; the views are valid until
// the program ends. Thread-safe.
std::span<const RuleEntry> rule_book();

// The entry with that id, or null.
const RuleEntry* find_rule_entry(std::string_view id);

// "schema", "rule", "default".
std::string_view name(RuleSource source);

}  // namespace dynamo::cli

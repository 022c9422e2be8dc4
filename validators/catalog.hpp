// The rule catalog: one row per rule. Ids are public and stable: they appear in causes, metrics,
// logs and documentation. Only rules in this table run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "validators/rule.hpp"

namespace dynamo::validators {

// All rules, in the order in which they run: first the rules on the written object, then those on
// rendered objects. Rules on services are consecutive. The order decides which finding comes first
// at a field.
std::span<const Rule> catalog();

// The index in the catalog of the rule that a finding names; nullopt if it is not a rule. The ids
// of the catalog are stored in one contiguous text, so the address of a finding's id identifies
// its rule. Any other view is searched for.
std::optional<std::size_t> find_rule_index(std::string_view rule);

// The rule with that id, or null.
const Rule* find_rule(std::string_view id);

}  // namespace dynamo::validators
